"""sgd_classifier.py FILE RANDOM CONCEPT COLUMNS FITS: seconds a fit of scikit-learn's SGDClassifier takes.

FILE holds float32 rows, RANDOM random ones and then CONCEPT of the concept. Each of FITS fits has an equal part of the
random rows and all of the concept's. The settings are those of Captum's SkLearnSGDClassifier.
"""
import sys
import time

import numpy as np
from sklearn.linear_model import SGDClassifier

path = sys.argv[1]
random, concept, columns, fits = (int(word) for word in sys.argv[2:])
rows = np.fromfile(path, dtype=np.float32).reshape(random + concept, columns)
part = random // fits
labels = np.repeat([0, 1], [part, concept])
start = time.perf_counter()
for fit in range(fits):
    chosen = np.concatenate([rows[fit * part:(fit + 1) * part], rows[random:]])
    SGDClassifier(alpha=0.01, max_iter=1000, tol=1e-3).fit(chosen, labels)
print((time.perf_counter() - start) / fits)

"""sgd_classifier.py FILE ROWS COLUMNS: seconds a fit of scikit-learn's SGDClassifier takes.

FILE holds float32 problems one after the other, each ROWS random and then ROWS concept rows. The
settings are those of Captum's SkLearnSGDClassifier.
"""
import sys
import time

import numpy as np
from sklearn.linear_model import SGDClassifier

path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
problems = np.fromfile(path, dtype=np.float32).reshape(-1, 2 * rows, columns)
labels = np.repeat([0, 1], rows)
start = time.perf_counter()
for problem in problems:
    SGDClassifier(alpha=0.01, max_iter=1000, tol=1e-3).fit(problem, labels)
print((time.perf_counter() - start) / len(problems))

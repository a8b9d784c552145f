"""Captum's interface for concepts: `from captum.concept import …` becomes `from atcav.captum import …`, nothing else.

    from atcav.captum import TCAV, Concept

    stripes, random = Concept(0, "stripes", striped_loader), Concept(1, "random", random_loader)
    tcav = TCAV(model, ["layer3", "layer4"])
    scores = tcav.interpret(zebras, [[stripes, random]], target=340)
    scores["0-1"]["layer4"]["sign_count"]

Names, arguments, defaults, returned structures and files of CAVs are those of Captum 0.9. What differs: the default
classifier solves exactly what Captum's approximates (a linear SVM with the same penalty), so the same data give the
same CAV, also with activations on a GPU. Captum's stops short of that solution (cosines of 0.35 to 0.76 with it), so scores
differ too. All layers come out of one pass; activations are written to files as there, and read from memory.
`processes` is accepted and not needed. For intervals, tests and reports see atcav.run.
"""
from ._cav import CAV, Concept
from ._classifier import Classifier, DefaultClassifier
from ._tcav import TCAV, ConceptInterpreter

__all__ = ["CAV", "Classifier", "Concept", "ConceptInterpreter", "DefaultClassifier", "TCAV"]

"""What tells concepts apart; the default solves exactly what Captum's approximates."""
import abc
from typing import Any, Dict, List, Optional

import numpy
import torch

from .._run import fit_cav


class Classifier(abc.ABC):
    """What tells concepts apart. Subclasses say how; a new CAV is trained with the same object again."""

    @abc.abstractmethod
    def __init__(self) -> None:
        pass

    @abc.abstractmethod
    def train_and_eval(self, dataloader, **kwargs: Any) -> Optional[Dict]:
        """Train on batches (activations, concept ids); may return measures such as {"accs": ...}."""

    @abc.abstractmethod
    def weights(self) -> torch.Tensor:
        """Classes × features."""

    @abc.abstractmethod
    def classes(self) -> List[int]:
        """Concept ids in the order of the weights."""


class DefaultClassifier(Classifier):
    """A linear SVM, one concept against the others: the minimum of Captum's objective (hinge loss, penalty 0.01), found
    exactly. The split into training and test rows is the same for the same rows."""

    ALPHA = 0.01

    def __init__(self) -> None:
        self._weights = None
        self._classes = None

    def train_and_eval(self, dataloader, test_split_ratio: float = 0.33, **kwargs: Any) -> Optional[Dict]:
        parts = [(inputs.detach().cpu().float(), labels.cpu()) for inputs, labels in dataloader]
        rows = torch.cat([inputs for inputs, _ in parts])
        labels = torch.cat([labels for _, labels in parts]).numpy()
        rows -= rows.mean(0)
        return self._fit(products(rows, rows), labels, lambda mix: rows.T @ mix, test_split_ratio)

    def _fit(self, gram, labels, mixed, test_split_ratio: float, **_) -> Dict:
        """From the inner products of all rows alone; mixed(coefficients) gives the combination of rows."""
        order = numpy.random.default_rng(0).permutation(len(labels))
        test, train = numpy.split(order, [int(test_split_ratio * len(labels))])
        self._classes = numpy.unique(labels[train])
        if len(self._classes) < 2:
            raise ValueError("The number of classes has to be greater than one; got 1 class")
        to_mean = gram[:, train].mean(1)
        gram = gram[:, train] - to_mean[:, None] - to_mean[train] + to_mean[train].mean()  # of rows less their mean
        features, back = _in_their_span(gram[train])
        mixes, intercepts = [], []
        for one in self._classes[-1:] if len(self._classes) == 2 else self._classes:
            own = labels[train] == one
            cost = 1 / (self.ALPHA * len(train))
            direction, intercept, _ = fit_cav(features[~own], features[own], "svm", cost=cost)
            mixes.append(back(direction))
            intercepts.append(intercept)
        found = gram[test] @ numpy.stack(mixes, 1) + numpy.array(intercepts)
        weights = []
        for mix in mixes:
            spread = numpy.zeros(len(labels), numpy.float32)
            spread[train] = mix - mix.mean()
            weights.append(mixed(torch.from_numpy(spread)))
        if len(mixes) == 1:
            weights, found = [-weights[0], weights[0]], numpy.concatenate([-found, found], axis=1)
        self._weights = torch.stack(weights)
        right = self._classes[found.argmax(1)] == labels[test]
        return {"accs": torch.tensor(right.mean() if len(test) else float("nan"), dtype=torch.float32)}

    def weights(self) -> torch.Tensor:
        assert self._weights is not None, ("The weights cannot be obtained because no model was trained."
                                           "In order to train the model call `train_and_eval` method first.")
        return self._weights

    def classes(self) -> List[int]:
        return self._classes


def products(a, b):
    return (a @ b.T).double().numpy()


def _in_their_span(gram):
    """(features, function back): rows in coordinates of their own span, of which there are as many as rows. A direction
    fitted there and taken back, as coefficients of the rows, is the one that the rows themselves would give."""
    values, vectors = numpy.linalg.eigh(gram)
    kept = values > max(values[-1], 0) * 1e-6  # products of float32 know no smaller ones
    # Columns of zeros stay: with no fewer columns than rows the fit works on inner products, which is faster.
    roots = numpy.sqrt(numpy.where(kept, values, 0))
    inverse = numpy.divide(1, roots, out=numpy.zeros_like(roots), where=kept)
    return vectors * roots, lambda direction: vectors @ (direction * inverse)

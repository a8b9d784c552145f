"""The five CAVs as estimators with scikit-learn's habits; they work without it too.

    cav = atcav.RidgeCAV(lambda_=0.5).fit(X, y)      # y: two classes; the second, sorted, is the concept
    cav.coef_, cav.predict(X), cav.score(X, y)
"""
import inspect
import typing

import numpy

from . import _atcav
from ._run import fit_cav, rows_of

if typing.TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import Array
    Vector = numpy.typing.NDArray[numpy.float64]

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.validation import check_is_fitted
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before 1.6
        def validate_data(estimator, *args, **kwargs):
            return estimator._validate_data(*args, **kwargs)
    from sklearn.utils.multiclass import check_classification_targets
except ImportError:
    class BaseEstimator:
        def get_params(self, deep=True):
            names = inspect.signature(type(self).__init__).parameters
            return {name: getattr(self, name) for name in names if name not in ("self", "args", "kwargs")}

        def set_params(self, **params):
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"{type(self).__name__} has no parameter '{name}'")
                setattr(self, name, value)
            return self

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    class ClassifierMixin:
        def score(self, X, y) -> float:
            """Share of rows classified correctly."""
            return float(numpy.mean(self.predict(X) == numpy.asarray(y)))

    def check_is_fitted(estimator, attribute):
        if not hasattr(estimator, attribute):
            raise ValueError(f"this {type(estimator).__name__} is not fitted yet")

    def validate_data(estimator, X, y=None, reset=True, **_):
        X = rows_of("X", X, numpy.float64)
        if not numpy.isfinite(X).all():
            raise ValueError("X holds NaN or infinity, must be finite")
        if reset:
            estimator.n_features_in_ = X.shape[1]
        elif X.shape[1] != estimator.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                             f"{estimator.n_features_in_} features as input")
        if y is None:
            return X
        y = numpy.asarray(y).ravel()
        if len(y) != len(X):
            raise ValueError(f"y has {len(y)} entries for {len(X)} rows")
        return X, y

    def check_classification_targets(y):
        pass


class _CAV(ClassifierMixin, BaseEstimator):
    """coef_ is the CAV (1 × d), classes_[1] the concept. decision_function is x·coef_ less a threshold: the fit's own
    intercept for logistic and svm, the least error on the training rows' two normals for the others."""

    coef_: "Vector"
    intercept_: "Vector"
    classes_: "numpy.typing.NDArray[numpy.generic]"
    converged_: bool
    _method: typing.ClassVar[str]

    if typing.TYPE_CHECKING:  # scikit-learn has no types
        def score(self, X: "Array", y: "Array") -> float: ...

    def fit(self, X: "Array", y: "Array") -> "Self":
        X, y = validate_data(self, X, y, dtype=numpy.float64)
        check_classification_targets(y)
        self.classes_, labels = numpy.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            one = "Classifier can't train when only one class is present."
            many = f"Only binary classification is supported: y has {len(self.classes_)} classes, must have 2."
            raise ValueError(one if len(self.classes_) == 1 else many)
        random, concept = X[labels == 0], X[labels == 1]
        direction, intercept, self.converged_ = fit_cav(random, concept, self._method, **self.get_params())
        if self._method not in ("logistic", "svm"):
            intercept = -_atcav.best_threshold(random @ direction, concept @ direction)
        self.coef_ = direction[None, :]
        self.intercept_ = numpy.array([intercept])
        return self

    def decision_function(self, X: "Array") -> "Vector":
        """How far each row lies on the concept's side."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, reset=False, dtype=numpy.float64)
        return X @ self.coef_[0] + self.intercept_[0]

    def predict(self, X: "Array") -> "numpy.typing.NDArray[numpy.generic]":
        """The class of each row."""
        found = self.decision_function(X) > 0
        return self.classes_[found.astype(int)]

    def sensitivities(self, gradients: "Array") -> "Vector":
        """Directional derivatives of a logit along the CAV, one per row of gradients."""
        check_is_fitted(self, "coef_")
        return rows_of("gradients", gradients, numpy.float64) @ self.coef_[0]

    def tcav(self, gradients: "Array") -> float:
        """Share of positive sensitivities."""
        return _atcav.tcav(self.sensitivities(gradients))

    def alpha_tcav(self, gradients: "Array", alpha: float) -> float:
        return _atcav.alpha_tcav(self.sensitivities(gradients), alpha)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "coef_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _more_tags(self):  # scikit-learn before 1.6
        return {"binary_only": True}


class PatternCAV(_CAV):
    """The difference of means between the concept's and the other rows."""
    _method = "pattern"


class FastCAV(_CAV):
    """The difference between the concept's mean and the mean of all rows."""
    _method = "fast"


class RidgeCAV(_CAV):
    """Ridge regression on labels ±1 with penalty lambda_, means subtracted first; centred=False is the paper's form."""
    _method = "ridge"

    def __init__(self, lambda_: float = 1.0, centred: bool = True) -> None:
        self.lambda_ = lambda_
        self.centred = centred


class _CostCAV(_CAV):
    def __init__(self, cost: float = 1.0) -> None:
        self.cost = cost


class LogisticCAV(_CostCAV):
    """Logistic regression with C = cost, solved exactly."""
    _method = "logistic"


class SvmCAV(_CostCAV):
    """A linear support vector machine with C = cost."""
    _method = "svm"

"""Classes: which logit of a network is meant, and the inputs it is looked at for."""
import reprlib
import typing

import numpy

from ._examples import is_array, is_tensor
from ._text import token_of


class Class(typing.NamedTuple):
    name: str
    target: typing.Any  # an index, two of which the second is subtracted, or an array of one each; None: there is one logit
    examples: typing.Any


def read_class(name, value, tokenizer=None) -> Class:
    where = f"class '{name}'"
    if not (isinstance(value, tuple) and len(value) == 2):
        return Class(name, None, value)
    target, examples = value
    if isinstance(examples, (int, numpy.integer)) or (is_tensor(examples) and examples.ndim == 0):
        raise TypeError(f"{where} is (examples, {int(examples)}), must be (target, examples)")
    if target is None:
        return Class(name, None, examples)
    if isinstance(target, str):
        return Class(name, token_of(tokenizer, where, target), examples)
    if isinstance(target, tuple) and len(target) == 2 and all(isinstance(one, (str, int, numpy.integer)) for one in target):
        pair = tuple(token_of(tokenizer, where, one) if isinstance(one, str) else int(one) for one in target)
        return Class(name, pair, examples)
    numbers = numpy.asarray(target.cpu() if is_tensor(target) else target)
    if numbers.dtype.kind in "iu" and numbers.ndim < 2 and not isinstance(target, tuple):
        return Class(name, int(numbers) if numbers.ndim == 0 else numbers, examples)
    if is_array(target):  # two inputs of a model with one output
        return Class(name, None, value)
    raise TypeError(f"{where} has target {reprlib.repr(target)}, must be the index of a logit, a pair (index, index to "
                    "subtract), a list with an index for each example, or None")


def target_text(target) -> str:
    """As C++ reads it; of targets for each example the first stands for all."""
    if target is None or isinstance(target, numpy.ndarray):
        return "0"
    return "-".join(map(str, target)) if isinstance(target, tuple) else str(target)


def check_targets(classes, logits: int) -> None:
    for one in classes:
        if one.target is None and logits > 1:
            raise ValueError(f"class '{one.name}' has no target, must be (target, examples): the model has {logits} logits")
        if isinstance(one.target, tuple) and one.target[0] == one.target[1]:
            raise ValueError(f"class '{one.name}' has target {one.target}, must be two different logits")
        if one.target is not None and (numpy.min(one.target) < 0 or numpy.max(one.target) >= logits):
            raise ValueError(f"class '{one.name}' has target {numpy.max(one.target)}, must be from 0 to {logits - 1}: the "
                             f"model has {logits} logits")

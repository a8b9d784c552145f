"""What of a batch a module is called with, where no forward= says so."""
import inspect

from ._examples import is_array, leaves
from ._text import texts_of, tokens_of

_KEYS_OF_LABELS = ("label", "labels")


def _parameters(model):
    """(names of what forward takes by position, how many of them it needs); None: any number."""
    try:
        listed = list(inspect.signature(model.forward).parameters.values())
    except (TypeError, ValueError):
        return None, 0
    if any(one.kind is one.VAR_POSITIONAL for one in listed):
        return None, 0
    named = [one for one in listed if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return [one.name for one in named], sum(one.default is one.empty for one in named)


def _no_texts(where, batch, tokenizer):
    texts = texts_of(batch)
    if texts is None:
        return batch
    if tokenizer is None:
        raise TypeError(f"{where} is a list of texts, must be numbers: tokenizer= (or forward=) turns texts into tokens")
    return tokens_of(tokenizer, texts)


def pick_inputs(model, tokenizer=None):
    """A function (name of the set, batch) that gives a tensor, a tuple of positional inputs or a dict of keywords.

    Of a dict labels are left out. Of a tuple all parts are inputs that forward can take. Where it cannot take more than it
    needs, what is left are labels; where a part could be an optional input or a label, that is an error.
    """
    names, needed = _parameters(model)

    def inputs_in(where, batch):
        """How many parts of a tuple are inputs."""
        count = len(batch)
        if names is not None and needed == len(names):
            return min(count, needed)
        if count <= needed or count == 1:
            return count
        fits = names is not None and count <= len(names)
        if not fits or not all(is_array(part) and part.ndim > 1 for part in batch[max(needed, 1):]):
            takes = "any number of inputs" if names is None else f"{needed} to {len(names)} inputs"
            raise ValueError(f"{where}: a batch is a tuple of {count} and forward of {type(model).__name__} takes {takes}: "
                             "whether all parts are inputs or some are labels cannot be told; say it with "
                             "forward=lambda model, batch: model(batch[0])")
        return count

    def pick(where, batch):
        batch = _no_texts(where, batch, tokenizer)
        if hasattr(batch, "keys"):
            return {key: batch[key] for key in batch.keys() if key not in _KEYS_OF_LABELS}
        if not isinstance(batch, (tuple, list)) or len(batch) == 0:
            return batch
        if hasattr(batch[0], "keys"):
            return pick(where, batch[0])
        if not any(map(is_array, leaves(batch))):
            what = "numbers" if isinstance(batch[0], (int, float)) else f"{type(batch[0]).__name__}s"
            raise TypeError(f"{where} is a list of {what}, must hold arrays or tensors with one row per example: torch.tensor(...) "
                            "makes one; anything else needs forward=")
        if not is_array(batch[0]):
            return batch
        count = inputs_in(where, batch)
        return batch[0] if count == 1 else tuple(batch[:count])
    return pick


def named_inputs(model, inputs) -> dict:
    """By the names that forward has for them, as far as they are known."""
    if hasattr(inputs, "keys"):
        return inputs
    if isinstance(inputs, tuple):
        return dict(zip(_parameters(model)[0] or [], inputs))
    return {}

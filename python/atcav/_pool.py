"""What is kept of a layer with positions: C++ decides (model/layout.h, model::Pool), PyTorch does it where the layer is."""
import typing

import torch
from torch.overrides import TorchFunctionMode

from . import _atcav

_KIND = _atcav.PoolKind


class Layouts(TorchFunctionMode):
    """Inside, tensors know where their channels are."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if torch.is_tensor(result):
            parts = args[0] if args and isinstance(args[0], (tuple, list)) else args
            given = [layout_of(part) for part in parts if torch.is_tensor(part)]
            result._atcav_layout = _atcav.layout_after(getattr(function, "__name__", ""), given)
        return result


def layout_of(tensor):
    return getattr(tensor, "_atcav_layout", _atcav.Layout.UNKNOWN)


class Mask(typing.NamedTuple):
    name: str  # of the input
    counts: torch.Tensor  # examples × tokens


def token_mask(inputs: dict) -> typing.Optional[Mask]:
    """Which tokens count, by the input that says so."""
    found = _atcav.token_mask([str(key) for key in inputs])
    if found is None:
        return None
    name, is_padding = found
    value = torch.as_tensor(inputs[name])
    if not is_padding and value.dtype != torch.bool and bool((value < 0).any()):
        raise ValueError(f"input '{name}' has negative numbers, must be 1 where a token counts and 0 elsewhere")
    return Mask(name, value.eq(0) if is_padding else value.ne(0))


def pooled(tensor, pool, dims: list, mask: typing.Optional[Mask] = None, at=None):
    """Examples × channels of activations, or of gradients at the activations `at`. dims: the positions."""
    if pool.kind == _KIND.WHOLE or not dims:
        return tensor.reshape(len(tensor), -1)
    tokens = _positions_last(tensor, dims)
    counts = None
    if mask is not None and len(dims) == 1 and (pool.kind != _KIND.TOKEN or pool.token < 0):
        wanted = (len(tokens), tokens.shape[2])
        if tuple(mask.counts.shape) != wanted:
            raise ValueError(f"input '{mask.name}' has shape {tuple(mask.counts.shape)}, must be examples × tokens, {wanted} "
                             f"here, for pool=\"{pool}\"")
        counts = mask.counts.to(tensor.device)
    if pool.kind == _KIND.MEAN:
        wide = torch.promote_types(tokens.dtype, torch.float32)
        if counts is None:
            return tokens.mean(2, dtype=wide) if at is None else tokens.sum(2, dtype=wide)
        total = (tokens * counts[:, None]).sum(2, dtype=wide)
        return total / counts.sum(1, keepdim=True).clamp(min=1) if at is None else total
    values = tokens if at is None else _positions_last(at, dims)
    return tokens.gather(2, _chosen(values, pool, dims, counts)).squeeze(2)


def _positions_last(tensor, dims):
    return tensor.flatten(2) if dims[0] == 2 else tensor.flatten(1, -2).transpose(1, 2)


def _chosen(values, pool, dims, counts):
    """The position to keep for each example and channel."""
    examples, channels, count = values.shape
    if pool.kind == _KIND.MAX:
        if counts is not None:
            values = values.masked_fill(~counts[:, None], -float("inf"))
        return values.argmax(2, keepdim=True)
    if len(dims) > 1:
        raise ValueError(f"pool is '{pool}', a token, but the layer has {len(dims)} dimensions of positions")
    if pool.token >= count:
        raise ValueError(f"pool is '{pool}', a token's number, must be below {count}, the number of tokens")
    chosen = values.new_full((examples,), pool.token if pool.token >= 0 else count - 1).long()
    if pool.token < 0 and counts is not None:
        chosen = (counts * chosen.new_tensor(range(count))).amax(1)
    return chosen[:, None, None].expand(examples, channels, 1)

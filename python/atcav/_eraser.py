"""Taking concepts out of a layer of a torch.nn.Module: h − Σ δᵢ cᵢ(h) with the shares c(h) = R·pooled(h) − b. C++ finds δ, R
and b (stats/erasure.h)."""
import contextlib
import typing

import torch

from . import _atcav
from ._forward import first_tensor
from ._layers import find_layers

_KIND = _atcav.PoolKind


class Place(typing.NamedTuple):
    """How a run found a layer of a module."""
    channels_first: typing.Optional[bool] = None  # None: as shapes are usually
    example_axis: int = 0
    call: int = -1  # of several in a forward pass, from 0; -1: each


class Eraser(torch.nn.Module):
    """Gives the layer's output without the concepts: in its shape, type and device, and by autograd's rules.

        eraser = run.eraser("watermark", "layer3")
        handle = model.layer3.register_forward_hook(lambda module, inputs, output: eraser(output))

    A layer pooled by mean moves alike at all positions, so that its mean over positions has nothing of the concepts
    left; one pooled to a token moves at that token. `counts` (examples × tokens) says which tokens of padded
    sequences count.
    """

    def __init__(self, directions, readers, offset, pool="none", place: Place = Place()):
        super().__init__()
        self.pool = _atcav.Pool(str(pool))
        self._place = place
        if self.pool.kind == _KIND.MAX:
            raise ValueError("pool is 'max', must be none, mean or a token: what is largest changes as it is erased")
        for name, values in (("directions", directions), ("readers", readers), ("offset", offset)):
            self.register_buffer(name, torch.as_tensor(values))

    def extra_repr(self) -> str:
        return f"concepts={len(self.offset)}, columns={self.directions.shape[1]}, pool={self.pool}"

    def shares(self, rows: torch.Tensor) -> torch.Tensor:
        """What rows (examples × columns, pooled) have of each concept: 0 at the random mean, 1 at its own examples'."""
        return rows @ self.readers.to(rows).T - self.offset.to(rows)

    def forward(self, output: torch.Tensor, counts: typing.Optional[torch.Tensor] = None) -> torch.Tensor:
        if self._place.example_axis == 1:
            return self._erased(output.movedim(1, 0), counts).movedim(0, 1)
        return self._erased(output, counts)

    def _erased(self, h, counts):
        work = h.to(torch.float64 if h.dtype == torch.float64 else torch.float32)
        dims = [] if self.pool.kind == _KIND.WHOLE else self._positions(h)
        everywhere = not dims or (self.pool.kind == _KIND.MEAN and counts is None)
        touched = None if everywhere else self._touched(work, dims, counts)
        rows = self._rows(work, dims, touched)
        if rows.shape[1] != self.directions.shape[1]:
            raise ValueError(f"the layer gives {rows.shape[1]} columns here, must be {self.directions.shape[1]} as in the run")
        move = self.shares(rows) @ self.directions.to(rows)
        move = move.reshape([1 if k in dims else size for k, size in enumerate(h.shape)])
        return h - (move if touched is None else move * touched).to(h.dtype)

    def _positions(self, h):
        first = self._place.channels_first
        if first is None:
            first = _atcav.is_channels_first(_atcav.Layout.UNKNOWN, h.ndim)
        return _atcav.position_dims(h.ndim, first)

    @staticmethod
    def _rows(work, dims, touched):
        """What pooling leaves: examples × columns."""
        if not dims:
            return work.reshape(len(work), -1)
        if touched is None:
            return work.mean(dims)
        return (work * touched).sum(dims) / touched.sum(dims).clamp(min=1)

    def _touched(self, work, dims, counts):
        """1 where a position is moved, 0 elsewhere; in the rank of the layer."""
        along = [size if k in dims else 1 for k, size in enumerate(work.shape)]
        touched = work.new_ones(along) if counts is None else counts.to(work).reshape([len(work), *along[1:]])
        if self.pool.kind == _KIND.MEAN:
            return touched
        if len(dims) > 1:
            raise ValueError(f"pool is '{self.pool}', a token, but the layer has {len(dims)} dimensions of positions")
        places = torch.arange(work.shape[dims[0]], device=work.device).reshape(along)
        chosen = self.pool.token if self.pool.token >= 0 else (touched.ne(0) * places).amax(dims[0], keepdim=True)
        return places.eq(chosen).to(work)


@contextlib.contextmanager
def erased(model, eraser: Eraser, layer):
    """In `with` the layer gives what the eraser leaves; afterwards the model is as it was."""
    found = find_layers(model, layer)
    if len(found) != 1:
        raise ValueError(f"'{layer}' stands for {len(found)} layers, must be one")
    module, call = found[0].module, eraser._place.call
    seen = [0]

    def reset(*_):
        seen[0] = 0

    def hook(_, __, output):
        seen[0] += 1
        if call >= 0 and seen[0] != call + 1:
            return None
        tensor, rebuild = first_tensor(output)
        return rebuild(eraser(tensor))

    hooks = [model.register_forward_pre_hook(reset), module.register_forward_hook(hook)]
    try:
        yield model
    finally:
        for one in hooks:
            one.remove()

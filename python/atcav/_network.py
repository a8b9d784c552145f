"""A torch.nn.Module as the network of a run (model::Model in C++): hooks for activations, autograd for gradients."""
import ctypes
import hashlib
import math

import numpy
import torch

from . import _atcav
from ._autoencoder import Trainer
from ._examples import Batch, sliced
from ._fingerprint import Unhashable, fingerprint, hash_of_weights
from ._forward import Pass
from ._hooked import OURS, named
from ._look import FirstLook
from ._pass import Held, TorchPass, moved, sum_of
from ._pool import pooled

_ROWS_STAY = ("cuda",)  # devices where the pass is computed too; tests add "cpu"


class _Holes:
    """Blocks of activations that were freed leave holes in the heap. Small things split them, the next block does not fit,
    and the heap grows by every block: glibc gives the pages of holes back when it is asked."""

    def __init__(self):
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)
        self._bytes = 0

    def after(self, blocks) -> None:
        self._bytes += sum(block.nbytes for block in blocks if isinstance(block, numpy.ndarray))
        if self._bytes > 1 << 27:
            self._trim(0)
            self._bytes = 0


class TorchNetwork(FirstLook):
    """The interface that C++ calls: facts, activations, gradients, logits, logits_from."""

    def __init__(self, model, layers, example: Batch, *, forward=None, output=None, model_id=None, positions=(), code=()):
        """positions: tokens that are layers of their own; code: what else the answer depends on (a tokenizer)."""
        super().__init__(model, layers, forward, output, positions)
        self._holes = _Holes()
        self.on_device = any(p.device.type in _ROWS_STAY for p in model.parameters())
        self.remarks = []
        with self:
            self.facts = self._look(example)
        self._first = example, self._answer
        self.unhashable = ""  # why nothing may be cached
        try:
            self.facts["hash"] = fingerprint(model, self._device, [forward, output, *code]) if model_id is None \
                else hashlib.sha256(str(model_id).encode()).hexdigest()
        except Unhashable as why:
            self.unhashable = str(why)
            self.facts["hash"] = hash_of_weights(model)

    def _batch(self, given) -> Batch:
        if isinstance(given, Batch):
            return given
        return Batch(given[0] if len(given) == 1 else tuple(given), len(given[0]))

    start_pass = staticmethod(TorchPass)
    moved, sum_of = staticmethod(moved), staticmethod(sum_of)

    def hold(self, directions):
        return Held(directions, self._device)

    def start_autoencoder(self, *given):
        return Trainer(*given, device=self._device)

    def activations(self, layers, given, pool):
        found = self._in_room(self._activations, layers, self._batch(given), pool)
        return self._looked_over([self._handed(rows) for rows in found])

    def activations_with_logits(self, layers, given, pool):
        *found, logits = self._in_room(self._activations_with_logits, layers, self._batch(given), pool)
        return self._looked_over([self._handed(rows) for rows in found]), self._host(logits)

    def _looked_over(self, found):
        self._holes.after(found)
        return found

    def _activations(self, layers, batch, pool):
        return self._forward_to(layers, batch, pool, stop=True)[:-1]

    def _activations_with_logits(self, layers, batch, pool):
        return self._forward_to(layers, batch, pool, stop=False)

    def _forward_to(self, layers, batch, pool, stop):
        """Rows of each layer, and the logits unless the pass stops at the last layer."""
        mask = self._mask(batch, pool)
        passing = Pass(self, layers, stop=stop, keep=lambda k, tensor: self._rows(k, batch.rows, pool, mask, tensor))
        logits = self._run(batch, passing)
        found = [passing.seen(layer) for layer in layers]
        overwritten = passing.overwritten()
        if not overwritten:
            return [*found, logits]
        self.overwritten |= overwritten
        return self._forward_to(layers, batch, pool, stop)

    def gradients(self, layers, given, targets, pool):
        """(rows of each layer, logits)"""
        batch = self._batch(given)
        if batch.targets is None:
            batch = batch._replace(targets=list(targets) * (1 if len(targets) == batch.rows else batch.rows))
        *found, logits = self._in_room(self._gradients, layers, batch, pool)
        return [self._handed(rows) for rows in found], self._host(logits)

    def _gradients(self, layers, batch, pool):
        mask, targets = self._mask(batch, pool), batch.targets
        passing = Pass(self, layers, gradients=True)
        logits = self._run(batch, passing)
        tensors = [passing.seen(layer) for layer in layers]
        if max(targets) >= logits.shape[1] or min(targets) < 0:
            raise ValueError(f"a target is {max(targets)}, must be below {logits.shape[1]}, the number of logits")
        with torch.inference_mode(False), torch.enable_grad():  # whatever the caller has
            chosen = logits.gather(1, torch.as_tensor(targets, device=logits.device)[:, None])
        odd = chosen[~torch.isfinite(chosen)]
        if len(odd) > 0:
            raise ValueError(f"the logit of a class is {odd[0].item()} for one of its examples, must be finite")
        slopes = [None] * len(layers) if not chosen.requires_grad else \
            torch.autograd.grad(chosen, tensors, torch.ones_like(chosen), allow_unused=True)
        for layer, slope in zip(layers, slopes):
            if slope is None:
                raise RuntimeError(f"the logits do not depend on layer '{self._layers[layer].name}' by autograd: the model "
                                   "does not use what it gives, or switches gradients off (no_grad, detach) behind it")
        return [self._rows(layer, batch.rows, pool, mask, slope, at=tensor)
                for layer, tensor, slope in zip(layers, tensors, slopes)] + [logits]

    def _in_room(self, work, layers, batch: Batch, pool):
        """What work(layers, batch, pool) gives, in halves where the device has no room for all at once."""
        try:
            return work(layers, batch, pool)
        except torch.cuda.OutOfMemoryError:
            if batch.rows == 1:
                raise
        except OURS as error:
            raise named(batch, error) from error
        half = batch.rows // 2
        remark = "some batches were halved: the device had no room for them"
        if remark not in self.remarks:
            self.remarks.append(remark)
        parts = [self._in_room(work, layers, Batch(sliced(batch.inputs, first, last), last - first,
                                                   batch.targets and batch.targets[first:last], batch.where), pool)
                 for first, last in ((0, half), (half, batch.rows))]
        return [torch.cat(both) for both in zip(*parts)]

    def _handed(self, rows):
        """To C++: a tensor where rows stay on the device, else an array in the tensor's memory."""
        return rows if rows.device.type in _ROWS_STAY else rows.numpy()

    def logits(self, given):
        batch = self._batch(given)
        return self._host(self._run(batch, Pass(self, [])))

    def logits_from(self, layer, activations, given):
        batch = self._batch(given)
        return self._host(self._run(batch, Pass(self, [layer], replaced=activations)))

    def tail_gradients(self, layer, activations, given, targets):
        """(logits, the gradient of each of the targets at the layer)"""
        batch = self._batch(given)
        passing = Pass(self, [layer], replaced=activations, gradients=True)
        logits = self._run(batch, passing)
        slopes = []
        for target in targets:
            with torch.inference_mode(False), torch.enable_grad():
                index = torch.as_tensor(target, device=logits.device).expand(batch.rows)
                chosen = logits.gather(1, index[:, None]).sum()
            slope = torch.autograd.grad(chosen, passing.start, retain_graph=True, allow_unused=True)[0] \
                if chosen.requires_grad else None
            if slope is None:
                raise RuntimeError(f"the logits do not depend on layer '{self._layers[layer].name}' by autograd")
            slopes.append(self._handed(slope.reshape(batch.rows, -1).float().contiguous()))
        return self._host(logits), slopes

    def places(self) -> dict:
        """By layer, how it was found: what an eraser of its output needs."""
        from ._eraser import Place
        return {layer.name: Place(facts["channels_first"], self._example_axis.get(k, 0),
                                  layer.call if layer.call >= 0 else calls - 1)
                for k, (layer, facts, calls) in enumerate(zip(self._layers, self.facts["layers"], self._calls))}

    def token_mask(self, given):
        mask = self._mask(self._batch(given))
        return None if mask is None or mask.counts.ndim != 2 else self._host(mask.counts)

    @staticmethod
    def _host(tensor):
        return tensor.detach().to("cpu", torch.float32).contiguous().numpy()

    def _rows(self, layer: int, rows: int, pool, mask, tensor, at=None):
        """Rows × columns in float32, of activations, or of gradients at the activations `at`."""
        tensor = self._by_example(layer, tensor.detach(), rows)
        if at is not None:
            at = self._by_example(layer, at.detach(), rows)
        own = self._layers[layer]
        if own.part is not None:
            tensor, at = tensor[own.part], None if at is None else at[own.part]
        pool = own.pool or pool
        facts = self.facts["layers"][layer]
        dims = _atcav.position_dims(tensor.ndim, facts["channels_first"])
        found = pooled(tensor, pool, dims, mask, at).float().contiguous()
        if tensor.device.type not in _ROWS_STAY:
            found = found.cpu()
        whole = pool.kind == _atcav.PoolKind.WHOLE or own.pool is not None
        channels = _atcav.pooled_size(facts["shape"], facts["channels_first"])
        want = math.prod(facts["shape"]) if whole else channels
        any_length = whole and dims and found.shape[1] % channels == 0  # C++ says where lengths must be equal
        if found.shape[1] != want and not any_length:
            raise ValueError(f"layer '{self._layers[layer].name}' gives {found.shape[1]} values per example here and {want} "
                             "for the first examples; pool=\"mean\" makes layers of any length equal")
        return found

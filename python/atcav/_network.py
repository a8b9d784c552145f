"""A torch.nn.Module as the network of a run (model::Model in C++): hooks for activations, autograd for gradients."""
import contextlib
import ctypes
import hashlib
import math
import threading
import typing
import weakref

import numpy
import torch

from . import _atcav
from ._examples import Batch, each_part, is_array, leaves, sliced
from ._fingerprint import Unhashable, fingerprint, hash_of_weights
from ._forward import LINKS, Enough, Pass, first_tensor
from ._inputs import named_inputs
from ._layers import find_layers
from ._pass import TorchPass
from ._pool import Layouts, layout_of, pooled, token_mask

_ROWS_STAY = ("cuda",)  # devices where the pass is computed too; tests add "cpu"
_IN_USE = weakref.WeakKeyDictionary()  # a lock per model: modes and hooks belong to one run at a time


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


def _agree(a, b) -> bool:
    return a.shape == b.shape and torch.allclose(a.double(), b.double(), rtol=1e-3, atol=1e-5, equal_nan=True)


def _agree_roughly(a, b) -> bool:
    """But for rounding, which differs with the batch; mixing of examples does more than that."""
    if a.shape != b.shape:
        return False
    share = max(1e-3, 8 * torch.finfo(a.dtype).eps)
    apart = (a.double() - b.double()).abs().nan_to_num(0)
    return bool((apart <= share * max(1e-6, a.double().abs().nan_to_num(0).max())).all())


def _token_ids(inputs) -> list:
    """Parts that could be tokens' numbers, examples × tokens."""
    return [part for part in leaves(inputs) if is_array(part) and part.ndim == 2 and
            not (part.is_floating_point() if torch.is_tensor(part) else part.dtype.kind == "f")]


_OURS = (RuntimeError, ValueError, TypeError, IndexError)  # what shapes that do not fit end in


class TorchNetwork:
    """The interface that C++ calls: facts, activations, gradients, logits, logits_from.

    Use it in `with`: inside, the model is in evaluation mode and has our hooks; afterwards it is as it was.
    """

    def __init__(self, model, layers, example: Batch, *, forward=None, output=None, model_id=None, positions=(), code=()):
        """positions: tokens that are layers of their own; code: what else the answer depends on (a tokenizer)."""
        self._model = model
        self._lock = _IN_USE.setdefault(model, threading.RLock())
        self._forward = forward
        self._output = output
        self._layers = find_layers(model, layers, positions)
        weight = next((p for p in model.parameters()), None)
        real = next((p for p in model.parameters() if p.is_floating_point()), None)
        self._device = weight.device if weight is not None else torch.device("cpu")
        self._dtype = real.dtype if real is not None else torch.float32
        self._link = None  # a Softmax at the end, whose input has the logits
        self._pass = None  # what hooks do now; None: nothing
        self._thread = None  # the one that runs the pass: others may use the model meanwhile
        self._first = None  # a batch and what the model gave for it
        self._holes = _Holes()
        self._example_axis = {}
        self.overwritten = set()  # layers whose output an operation behind them changes where it lies
        self.on_device = any(p.device.type in _ROWS_STAY for p in model.parameters())
        self.remarks = []
        self._per_token = False  # whether the model gives logits for each token
        with self:
            self.facts = self._look(example)
        self.unhashable = ""  # why nothing may be cached
        try:
            self.facts["hash"] = fingerprint(model, self._device, [forward, output, *code]) if model_id is None \
                else hashlib.sha256(str(model_id).encode()).hexdigest()
        except Unhashable as why:
            self.unhashable = str(why)
            self.facts["hash"] = hash_of_weights(model)

    # The model's state.
    def __enter__(self):
        self._lock.acquire()
        self._modes, self._hooks = [(module, module.training) for module in self._model.modules()], []
        try:
            self._prepare()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def _prepare(self) -> None:
        self._model.eval()
        self._before = self._versions()
        for module in self._model.modules():
            if type(module) is torch.nn.TransformerEncoderLayer:
                module.training = True  # its own flag only keeps it from a kernel that passes its modules by
            if isinstance(module, LINKS) or any(module is layer.module for layer in self._layers):
                self._hooks.append(module.register_forward_hook(self._hook))
            if any(module is layer.module and layer.of_input for layer in self._layers):
                self._hooks.append(module.register_forward_pre_hook(self._pre_hook))

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                self._check_unchanged()
        finally:
            for hook in self._hooks:
                hook.remove()
            for module, training in self._modes:
                if module.training != training:
                    module.train(training)  # some models merge weights for evaluation and take them apart again here
            for module, training in self._modes:
                module.training = training
            self._lock.release()

    def _check_unchanged(self) -> None:
        changed = [f"'{name}' is another one now" for name, version in self._versions().items()
                   if self._before.get(name) != version]
        if not changed and self._first is not None:
            batch, result = self._first
            if not _agree(result, self._run(batch, Pass(self, [], links_only=True))):
                changed = ["it gives other logits for the first examples at the end than at the start"]
        if changed:
            raise RuntimeError(f"the model changed while it was used: {changed[0]}, so activations and gradients are not of "
                               "one model")

    def _versions(self) -> dict:
        return {name: (value.data_ptr(), value._version)
                for name, value in [*self._model.named_parameters(), *self._model.named_buffers()]
                if value.is_floating_point()}

    def _hook(self, module, inputs, output):
        if self._pass is None or self._thread != threading.get_ident():
            return None
        return self._pass.saw(module, inputs, output)

    def _pre_hook(self, module, inputs):
        if self._pass is None or self._thread != threading.get_ident():
            return None
        return self._pass.entered(module, inputs)

    @property
    def has_views(self) -> bool:
        return any(layer.is_view for layer in self._layers)

    # Passes.
    def _call(self, inputs):
        if self._forward is not None:
            result = self._forward(self._model, inputs)
        elif isinstance(inputs, dict):
            result = self._model(**inputs)
        elif isinstance(inputs, tuple):
            result = self._model(*inputs)
        else:
            result = self._model(inputs)
        return self._picked(result)

    def _moved(self, part, graph: bool = False):
        """A copy where the model is, in its type: the model may overwrite it. graph: autograd follows what becomes of it."""
        if isinstance(part, numpy.ndarray):
            part = torch.from_numpy(numpy.ascontiguousarray(part))
        if torch.is_tensor(part):
            real = part.is_floating_point()
            copy = part.detach().to(self._device, self._dtype if real else part.dtype, copy=True)
            return copy.requires_grad_().clone() if graph and real else copy
        if isinstance(part, dict) or (hasattr(part, "keys") and hasattr(part, "__getitem__")):
            return {key: self._moved(part[key], graph) for key in part.keys()}
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*(self._moved(one, graph) for one in part))
        if isinstance(part, (tuple, list)):
            return type(part)(self._moved(one, graph) for one in part)
        return part

    def _picked(self, result):
        """The logits of what the model gives."""
        if callable(self._output):
            result = self._output(result)
        elif self._output is not None:
            result = getattr(result, self._output) if isinstance(self._output, str) and hasattr(result, self._output) \
                else result[self._output]
        elif not torch.is_tensor(result):
            for read in (lambda: result.logits, lambda: result["logits"]):
                with contextlib.suppress(AttributeError, KeyError, TypeError, IndexError):
                    result = read()
                    break
            else:
                result = first_tensor(result)[0]
        if not torch.is_tensor(result):
            raise TypeError("the model gives no tensor of logits; output= must pick it: a key, an index, or a function "
                            "of what the model gives")
        if not result.is_floating_point():
            raise ValueError(f"the model's logits are {result.dtype}, must be floating-point numbers")
        return result

    def _logits(self, result, batch: Batch):
        rows = batch.rows
        if self._link is not None:
            result = self._pass.link_input
        if result.ndim == 3 and any(tuple(ids.shape) == tuple(result.shape[:2]) for ids in _token_ids(batch.inputs)):
            self._per_token = True
            result = result[torch.arange(rows, device=result.device), self._last_token(batch, result)]
        if result.ndim == 1 and len(result) == rows:
            result = result[:, None]
        if result.ndim != 2 or len(result) != rows:
            raise ValueError(f"the model's logits have shape {tuple(result.shape)} for {rows} examples; must be examples × "
                             "logits: output= may pick them")
        return result

    def _last_token(self, batch: Batch, result):
        """Of each example the last token that counts, where the next one is said."""
        mask = self._mask(batch)
        if mask is None:
            return torch.full((batch.rows,), result.shape[1] - 1, device=result.device)
        if tuple(mask.counts.shape) != tuple(result.shape[:2]):
            raise ValueError(f"input '{mask.name}' has shape {tuple(mask.counts.shape)}, must be examples × tokens, "
                             f"{tuple(result.shape[:2])} here, to say which logits are of the last token")
        return (mask.counts.long() * torch.arange(result.shape[1], device=mask.counts.device)).amax(1).to(result.device)

    def _run(self, batch: Batch, passing: Pass, graph: bool = False):
        """The logits; None where the pass had enough before them."""
        self._pass, self._thread = passing, threading.get_ident()
        try:
            with torch.inference_mode(False), torch.set_grad_enabled(graph):
                result = self._call(self._moved(batch.inputs, graph))
                return self._logits(result, batch) if not passing.links_only else result
        except Enough:
            return None
        except _OURS as error:
            if type(error) not in _OURS or not batch.where:
                raise
            raise type(error)(f"{batch.where}: {error}") from error
        finally:
            self._pass = None

    def _batch(self, given) -> Batch:
        if isinstance(given, Batch):
            return given
        return Batch(given[0] if len(given) == 1 else tuple(given), len(given[0]))

    # What C++ calls.
    start_pass = staticmethod(TorchPass)

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
            slopes.append(self._host(slope.reshape(batch.rows, -1)))
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

    def _by_example(self, layer: int, tensor, rows: int):
        """With the examples first: recurrent layers may have the steps there. The first look decides."""
        if layer not in self._example_axis:
            unclear = getattr(self._layers[layer].module, "batch_first", True) is False or tensor.shape[:1] != (rows,)
            self._example_axis[layer] = int(tensor.ndim > 1 and tensor.shape[1] == rows and unclear)
        if self._example_axis[layer] == 1 and tensor.ndim > 1:
            tensor = tensor.movedim(1, 0)
        if tensor.ndim == 0 or len(tensor) != rows:
            raise ValueError(f"layer '{self._layers[layer].name}' gives shape {tuple(tensor.shape)} for {rows} examples; must "
                             "have one row per example")
        return tensor

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

    def _mask(self, batch: Batch, pool=None):
        """Where the model is; None where no pooling asks for it."""
        if pool is not None and pool.kind == _atcav.PoolKind.WHOLE and not self.has_views:
            return None
        by_name = self._forward is None or isinstance(batch.inputs, dict)
        mask = token_mask(named_inputs(self._model, batch.inputs)) if by_name else None
        return mask and mask._replace(counts=mask.counts.to(self._device))

    # A first look.
    def _dice(self):
        on_gpu = torch.cuda.get_rng_state(self._device).tolist() if self._device.type == "cuda" else []
        return torch.get_rng_state().tolist() + on_gpu

    def _look(self, batch: Batch) -> dict:
        passing = Pass(self, range(len(self._layers)), links_only=True)
        dice = self._dice()
        result = self._run(batch, passing)
        self._link = passing.link_of(result)
        self._layers = self._used_layers(passing, batch.rows)
        order = list(range(len(self._layers)))
        # Few random numbers may agree by chance: where some were drawn, look more often.
        again = [self._run(batch, Pass(self, order, links_only=True)) for _ in range(1 if self._dice() == dice else 8)]
        if not all(_agree(result, other) for other in again):
            raise ValueError("the model gives different answers for the same input in evaluation mode; must have nothing "
                             "random in it (a functional dropout needs training=self.training)")
        self._first = batch, result
        self._calls = [passing.calls[layer.module] for layer in self._layers]
        passing = Pass(self, order, look=True)
        with Layouts():
            logits = self._run(batch, passing)
        self.overwritten = passing.overwritten()
        self._check_apart(batch, logits)
        layers = []
        for k, layer in enumerate(self._layers):
            tensor = self._by_example(k, passing.seen(k), batch.rows)
            first = _atcav.is_channels_first(layout_of(passing.seen(k)), tensor.ndim)
            shape = list((tensor if layer.part is None else tensor[layer.part]).shape[1:])
            if layer.pool is not None:
                shape = [_atcav.pooled_size(shape, first)]
            layers.append({"name": layer.name, "shape": shape, "channels_first": first})
        inputs = self._moved(batch.inputs)
        shape = [-1] * inputs.ndim if torch.is_tensor(inputs) else [-1]
        if torch.is_tensor(inputs) and inputs.ndim == 4:
            shape = [-1, *inputs.shape[1:]]
        integer = torch.is_tensor(inputs) and not inputs.is_floating_point()
        return {"inputs": [{"name": "input", "shape": shape, "is_integer": integer}], "layers": layers,
                "logits": "logits", "logit_count": int(logits.shape[1]), "notes": self._notes(logits)}

    def _used_layers(self, passing: Pass, rows: int) -> list:
        """Of the modules that a pattern found those that give numbers for each example, in the order in which they do."""
        ends = {}
        for place, (module, tensor) in enumerate(passing.order):
            if tensor is not None and tensor.is_floating_point() and rows in tensor.shape[:2]:
                ends[module] = place
        kept = [layer for layer in self._layers if not layer.pattern or layer.module in ends]
        for pattern in {layer.pattern for layer in self._layers} - {layer.pattern for layer in kept}:
            raise ValueError(f"no module that '{pattern}' stands for is used")
        groups = {layer.pattern: [one for one in kept if one.pattern == layer.pattern] for layer in kept if layer.pattern}
        for pattern, group in groups.items():
            group.sort(key=lambda one: ends[one.module], reverse=True)
        return [layer if not layer.pattern else groups[layer.pattern].pop() for layer in kept]

    def _check_apart(self, batch: Batch, logits) -> None:
        """What the model says about an example must not depend on which others it is run with."""
        if batch.rows < 2:
            return
        def twice(part):
            if len(part) != batch.rows:
                return part
            return part[:1] * 2 if isinstance(part, list) else part[[0, 0]]
        found = []
        for other in (Batch(each_part(batch.inputs, twice), 2), Batch(sliced(batch.inputs, 0, 1), 1)):
            with contextlib.suppress(*_OURS):  # some models need two
                found.append(self._run(other, Pass(self, [])))
        if not all(_agree_roughly(logits[0], other[0]) for other in found):
            raise ValueError("the model gives other logits for an example when others are run with it (batch statistics, logits "
                             "of all pairs): examples cannot be told apart. batch=1 runs each by itself")

    def _notes(self, logits) -> typing.List[str]:
        notes = []
        if self._per_token:
            notes.append("the model gives logits for each token: those at the last token that counts are probed")
        if self._link is not None:
            notes.append(f"a {type(self._link).__name__} at the end of the model was stepped over: its input is probed")
        elif logits.shape[1] > 1:
            values = logits.double()
            for name, shares in (("probabilities", values), ("log-probabilities", values.exp())):
                inside = bool((shares >= 0).all() and (shares <= 1 + 1e-6).all())
                if inside and torch.allclose(shares.sum(1), torch.ones_like(shares[:, 0]), atol=1e-4):
                    notes.append(f"the model gives {name}, which saturate: gradients of logits say more. output= may pick "
                                 "the logits")
        for layer, calls in zip(self._layers, self._calls):
            if calls > 1 and layer.call < 0:
                notes.append(f"layer '{layer.name}' runs {calls} times in a forward pass and its last output is meant; "
                             f"'{layer.name}#1' … '{layer.name}#{calls}' pick one")
        return notes

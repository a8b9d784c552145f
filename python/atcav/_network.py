"""A torch.nn.Module as the network of a run (model::Model in C++): hooks for activations, autograd for gradients."""
import contextlib
import difflib
import fnmatch
import hashlib
import inspect
import typing

import numpy
import torch

from ._examples import Batch, count_rows, is_array

_LINKS = (torch.nn.Softmax, torch.nn.LogSoftmax, torch.nn.Sigmoid)
_CHANNELS_FIRST = (torch.nn.Conv1d, torch.nn.BatchNorm1d, torch.nn.MaxPool1d, torch.nn.AvgPool1d,
                   torch.nn.AdaptiveAvgPool1d, torch.nn.InstanceNorm1d, torch.nn.ConvTranspose1d)


class _Enough(BaseException):
    """All layers were seen: the rest of the forward pass is not needed. No `except Exception` catches it."""


class _Layer(typing.NamedTuple):
    name: str  # as the user wrote it, or the module's where a pattern found it
    module: torch.nn.Module
    call: int  # which of its calls in a forward pass, from 0; -1: the last


def find_layers(model, wanted) -> typing.List[_Layer]:
    modules = dict(model.named_modules())
    names = {module: name for name, module in reversed(list(modules.items()))}
    found = []
    for one in [wanted] if isinstance(wanted, (str, torch.nn.Module)) else list(wanted):
        if isinstance(one, torch.nn.Module):
            if one not in names:
                raise ValueError(f"a layer is {type(one).__name__}, which is not part of the model")
            found.append(_Layer(names[one] or type(one).__name__, one, -1))
            continue
        path, _, call = str(one).partition("#")
        if call and not (call.isdigit() and int(call) > 0):
            raise ValueError(f"layer is '{one}', must be NAME or NAME#N with N = 1, 2, …")
        matched = [path] if path in modules and path else \
            [name for name in modules if name and any(sign in path for sign in "*?[") and fnmatch.fnmatchcase(name, path)]
        if not matched:
            near = difflib.get_close_matches(path, filter(None, modules), 5, 0.3) or list(filter(None, modules))[:10]
            raise ValueError(f"the model has no layer '{one}'; closest: {', '.join(near)}")
        for name in matched:
            found.append(_Layer(name + ("#" + call if call else ""), modules[name], int(call) - 1 if call else -1))
    seen = set()
    for layer in found:
        if (layer.module, layer.call) in seen:
            raise ValueError(f"layer '{layer.name}' is given twice")
        seen.add((layer.module, layer.call))
    if not found:
        raise ValueError("layers is empty, must name at least one")
    return found


def first_tensor(output):
    """(tensor, function that gives the same structure with another tensor in its place)."""
    if torch.is_tensor(output):
        return output, lambda other: other
    if isinstance(output, (tuple, list)):
        for i, part in enumerate(output):
            tensor, rebuild = first_tensor(part)
            if tensor is not None:
                def replaced(other, i=i, rebuild=rebuild):
                    parts = [rebuild(other) if k == i else part for k, part in enumerate(output)]
                    return type(output)(*parts) if hasattr(output, "_fields") else type(output)(parts)
                return tensor, replaced
    if isinstance(output, dict):
        for key, part in output.items():
            tensor, rebuild = first_tensor(part)
            if tensor is not None:
                def replaced_in(other, key=key, rebuild=rebuild):
                    return type(output)(**{**output, key: rebuild(other)})
                return tensor, replaced_in
    return None, None


def used_by_default(batch):
    """Without forward=: the inputs of (inputs, labels); a dict without its labels."""
    if isinstance(batch, (tuple, list)) and len(batch) > 0 and is_array(batch[0]):
        return batch[0]
    if isinstance(batch, dict) or hasattr(batch, "keys"):
        return {key: batch[key] for key in batch.keys() if key not in ("label", "labels")}
    return batch


class TorchNetwork:
    """The interface that C++ calls: facts, activations, gradients, logits, logits_from.

    Use it in `with`: inside, the model is in evaluation mode and has our hooks; afterwards it is as it was.
    """

    def __init__(self, model, layers, example, *, forward=None, output=None, model_id=None):
        self._model = model
        self._forward = forward
        self._output = output
        self._layers = find_layers(model, layers)
        weight = next((p for p in model.parameters()), None)
        real = next((p for p in model.parameters() if p.is_floating_point()), None)
        self._device = weight.device if weight is not None else torch.device("cpu")
        self._dtype = real.dtype if real is not None else torch.float32
        self._link = None  # a Softmax at the end, whose input has the logits
        self._pass = None  # what hooks do now; None: nothing
        self._modes, self._hooks = [], []
        self._example_axis = {}
        with self:
            self.facts = self._look(example, model_id)

    # The model's state.
    def __enter__(self):
        self._modes = [(module, module.training) for module in self._model.modules()]
        self._versions = {name: (value.data_ptr(), value._version) for name, value in self._model.named_parameters()}
        self._model.eval()
        watched = {layer.module for layer in self._layers} | {m for m in self._model.modules() if isinstance(m, _LINKS)}
        self._hooks = [module.register_forward_hook(self._hook) for module in watched]
        return self

    def __exit__(self, kind, error, trace):
        for hook in self._hooks:
            hook.remove()
        for module, training in self._modes:
            module.training = training
        changed = [name for name, value in self._model.named_parameters()
                   if self._versions.get(name) != (value.data_ptr(), value._version)]
        if kind is None and changed:
            raise RuntimeError(f"the model changed while it was used: parameter '{changed[0]}' is another one now, so "
                               "activations and gradients are not of one model")

    def _hook(self, module, inputs, output):
        return None if self._pass is None else self._pass.saw(module, inputs, output)

    # Passes.
    def _call(self, batch: Batch):
        inputs = self._moved(batch.inputs)
        if self._forward is not None:
            result = self._forward(self._model, inputs)
        elif isinstance(inputs, dict):
            result = self._model(**inputs)
        else:
            result = self._model(inputs)
        return self._picked(result)

    def _moved(self, part):
        if isinstance(part, numpy.ndarray):
            part = torch.from_numpy(numpy.ascontiguousarray(part))
        if torch.is_tensor(part):
            return part.to(self._device, self._dtype) if part.is_floating_point() else part.to(self._device)
        if isinstance(part, dict) or (hasattr(part, "keys") and hasattr(part, "__getitem__")):
            return {key: self._moved(part[key]) for key in part.keys()}
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*map(self._moved, part))
        if isinstance(part, (tuple, list)):
            return type(part)(map(self._moved, part))
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
        return result

    def _logits(self, result, rows: int):
        if self._link is not None:
            result = self._pass.link_input
        if result.ndim == 1 and len(result) == rows:
            result = result[:, None]
        if result.ndim != 2 or len(result) != rows:
            raise ValueError(f"the model's logits have shape {tuple(result.shape)} for {rows} examples; must be examples × "
                             "logits: output= may pick them")
        return result

    def _run(self, batch: Batch, passing: "_Pass"):
        """The logits; None where the pass had enough before them."""
        self._pass = passing
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        try:
            result = self._call(batch)
            return self._logits(result, batch.rows) if not passing.links_only else result
        except _Enough:
            return None
        finally:
            torch.set_grad_enabled(before)
            self._pass = None

    def _batch(self, given) -> Batch:
        if isinstance(given, Batch):
            return given
        return Batch(given[0] if len(given) == 1 else tuple(given), len(given[0]), None)

    # What C++ calls.
    def activations(self, layers, given, pool):
        batch = self._batch(given)
        passing = _Pass(self, layers, stop=True)
        self._run(batch, passing)
        return [self._rows(layer, passing.seen(layer), batch.rows, pool, False) for layer in layers]

    def gradients(self, layers, given, targets, pool):
        batch = self._batch(given)
        if batch.targets is not None:
            targets = batch.targets
        passing = _Pass(self, layers, gradients=True)
        logits = self._run(batch, passing)
        tensors = [passing.seen(layer) for layer in layers]
        index = torch.as_tensor(targets, device=logits.device).expand(batch.rows)
        if int(index.max()) >= logits.shape[1] or int(index.min()) < 0:
            raise ValueError(f"a target is {int(index.max())}, must be below {logits.shape[1]}, the number of logits")
        with torch.enable_grad():  # the caller may have it off
            chosen = logits.gather(1, index[:, None]).sum()
        if not chosen.requires_grad:
            raise RuntimeError(f"the logits do not depend on layer '{self._layers[layers[0]].name}' by autograd: the model "
                               "switches gradients off (no_grad, detach) behind it")
        slopes = torch.autograd.grad(chosen, tensors, allow_unused=True)
        # A layer that the logit does not depend on has no gradient at all: that is zero.
        return [self._rows(layer, torch.zeros_like(tensor) if slope is None else slope, batch.rows, pool, True)
                for layer, tensor, slope in zip(layers, tensors, slopes)]

    def logits(self, given):
        batch = self._batch(given)
        return self._host(self._run(batch, _Pass(self, [])))

    def logits_from(self, layer, activations, given):
        batch = self._batch(given)
        return self._host(self._run(batch, _Pass(self, [layer], replaced=activations)))

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

    def _rows(self, layer: int, tensor, rows: int, pool: str, gradient: bool):
        tensor = self._by_example(layer, tensor.detach(), rows)
        if pool == "mean" and tensor.ndim > 2:
            positions = self._positions(layer, tensor.ndim)
            tensor = tensor.sum(positions) if gradient else tensor.mean(positions)
        tensor = self._host(tensor.reshape(rows, -1))
        want = self.facts["layers"][layer]["pooled_size" if pool == "mean" else "size"]
        if tensor.shape[1] != want:
            raise ValueError(f"layer '{self._layers[layer].name}' gives {tensor.shape[1]} values per example here and {want} "
                             "for the first examples; pool=\"mean\" makes layers of any length equal")
        return tensor

    def _positions(self, layer: int, dimensions: int):
        first = dimensions > 3 or isinstance(self._layers[layer].module, _CHANNELS_FIRST)
        return tuple(range(2, dimensions)) if first else tuple(range(1, dimensions - 1))

    # A first look.
    def _look(self, example, model_id) -> dict:
        batch = Batch(example, count_rows(example), None)
        order = list(range(len(self._layers)))
        passing = _Pass(self, order, links_only=True)
        result = self._run(batch, passing)
        self._link = passing.link_of(result)
        again = self._run(batch, _Pass(self, order, links_only=True))
        if not torch.allclose(result.float(), again.float(), rtol=1e-3, atol=1e-5, equal_nan=True):
            raise ValueError("the model gives different answers for the same input in evaluation mode; must have nothing "
                             "random in it (a functional dropout needs training=self.training)")
        self._calls = [passing.calls[layer.module] for layer in self._layers]
        passing = _Pass(self, order)
        logits = self._run(batch, passing)
        layers = []
        for k, layer in enumerate(self._layers):
            shape = tuple(self._by_example(k, passing.seen(k), batch.rows).shape[1:])
            positions = self._positions(k, len(shape) + 1) if len(shape) > 1 else ()
            pooled = [size for i, size in enumerate(shape, 1) if i not in positions]
            layers.append({"name": layer.name, "shape": list(shape), "size": int(numpy.prod(shape, dtype=numpy.int64)),
                           "pooled_size": int(numpy.prod(pooled, dtype=numpy.int64))})
        inputs = self._moved(batch.inputs)
        shape = [-1] * inputs.ndim if torch.is_tensor(inputs) else [-1]
        if torch.is_tensor(inputs) and inputs.ndim == 4:
            shape = [-1, *inputs.shape[1:]]
        integer = torch.is_tensor(inputs) and not inputs.is_floating_point()
        return {"inputs": [{"name": "input", "shape": shape, "is_integer": integer}], "layers": layers,
                "logits": "logits", "logit_count": int(logits.shape[1]), "notes": self._notes(logits),
                "hash": self._hash(model_id)}

    def _notes(self, logits) -> typing.List[str]:
        notes = []
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

    def _hash(self, model_id) -> str:
        """Of weights, structure and code: what cached activations belong to."""
        whole = hashlib.sha256()
        if model_id is not None:
            whole.update(str(model_id).encode())
            return whole.hexdigest()
        parts = [torch.__version__, str(self._model), str(self._device.type)]
        kinds = {type(module) for module in self._model.modules()}
        for piece in [*sorted(kinds, key=lambda kind: kind.__qualname__), self._forward, self._output]:
            if piece is None or (getattr(piece, "__module__", None) or "").startswith("torch."):
                continue
            try:
                parts.append(inspect.getsource(piece))
            except (OSError, TypeError):
                parts.append(repr(piece) if isinstance(piece, (str, int)) else getattr(piece, "__qualname__", "code"))
        whole.update("\n".join(parts).encode())
        for name, value in [*self._model.named_parameters(), *self._model.named_buffers()]:
            value = value.detach()
            whole.update(f"\n{name} {tuple(value.shape)} {value.dtype}\n".encode())
            if value.is_floating_point() and value.element_size() < 4:
                value = value.float()
            whole.update(numpy.ascontiguousarray(value.cpu().numpy()).tobytes())
        return whole.hexdigest()


class _Pass:
    """One forward pass: what the hooks note and change."""

    def __init__(self, network, layers, *, stop=False, gradients=False, replaced=None, links_only=False):
        self._network = network
        self._wanted = {}  # module: {call: position in the network's layers}
        for k in layers:
            layer = network._layers[k]
            call = layer.call
            if not links_only and call < 0:
                call = network._calls[k] - 1
            self._wanted.setdefault(layer.module, {})[call] = k
        self._missing = len(layers)
        self._stop = stop
        self._gradients = gradients
        self._replaced = replaced
        self.links_only = links_only  # a first look: counts calls, finds a Softmax at the end
        self.calls = {layer.module: 0 for layer in network._layers}
        self._found = {}
        self._links = []
        self.link_input = None

    def saw(self, module, inputs, output):
        if isinstance(module, _LINKS):
            self._links.append((module, inputs[0] if inputs else None, output))
            if module is self._network._link:
                self.link_input = inputs[0]
        if module not in self.calls:
            return None
        call = self.calls[module]
        self.calls[module] += 1
        if self.links_only or call not in self._wanted.get(module, ()):
            return None
        k = self._wanted[module][call]
        tensor, rebuild = first_tensor(output)
        if tensor is None:
            raise ValueError(f"layer '{self._network._layers[k].name}' gives no tensor")
        if self._replaced is not None:
            return rebuild(self._stand_in(k, tensor))
        if self._gradients:
            if not torch.is_grad_enabled() or not self._found:
                torch.set_grad_enabled(True)  # from here on: what lies before the first layer needs no graph
            if not tensor.requires_grad:
                tensor = tensor.detach().requires_grad_()
        self._found[k] = tensor
        self._missing -= 1
        if self._stop and self._missing == 0:
            raise _Enough
        # The rest goes on with a copy: an in-place operation behind would overwrite the output.
        return rebuild(tensor.clone())

    def _stand_in(self, k, tensor):
        rows = len(self._replaced)
        shape = self._network._by_example(k, tensor, rows).shape
        values = torch.from_numpy(self._replaced).to(tensor.device, tensor.dtype).reshape(shape)
        return values if values.shape == tensor.shape else values.movedim(0, 1)

    def seen(self, k):
        if k not in self._found:
            layer = self._network._layers[k]
            calls = self.calls.get(layer.module, 0)
            raise ValueError(f"layer '{layer.name}' was not used: the model passes it by" if calls == 0 else
                             f"layer '{layer.name}' was used {calls} times, not as often as for the first examples")
        return self._found[k]

    def link_of(self, result):
        """The Softmax whose output the model gives, if there is one."""
        for module, given, output in reversed(self._links):
            if output is result and torch.is_tensor(given):
                return module
        return None


def is_module(model) -> bool:
    return isinstance(model, torch.nn.Module)



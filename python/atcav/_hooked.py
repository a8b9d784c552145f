"""A torch.nn.Module with our hooks in it, run on one batch: its state before and after, its inputs, its logits."""
import contextlib
import threading
import weakref

import numpy
import torch

from . import _atcav
from ._examples import Batch, is_array, leaves
from ._forward import LINKS, Enough, Pass, first_tensor
from ._inputs import named_inputs
from ._layers import find_layers
from ._pass import to_device
from ._pool import token_mask

_IN_USE = weakref.WeakKeyDictionary()  # a lock per model: modes and hooks belong to one run at a time
OURS = (RuntimeError, ValueError, TypeError, IndexError)  # what shapes that do not fit end in


def named(batch: Batch, error):
    """The error with the set and the batch before it."""
    if type(error) not in OURS or not batch.where or str(error).startswith(batch.where):
        return error
    return type(error)(f"{batch.where}: {error}")


def agree(a, b) -> bool:
    return a.shape == b.shape and torch.allclose(a.double(), b.double(), rtol=1e-3, atol=1e-5, equal_nan=True)


def _token_ids(inputs) -> list:
    """Parts that could be tokens' numbers, examples × tokens."""
    return [part for part in leaves(inputs) if is_array(part) and part.ndim == 2 and
            not (part.is_floating_point() if torch.is_tensor(part) else part.dtype.kind == "f")]


class HookedModel:
    """Use it in `with`: inside, the model is in evaluation mode and has our hooks; afterwards it is as it was."""

    def __init__(self, model, layers, forward, output, positions):
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
        self._first = None  # a batch and what the model gave for it, to be given again at the end
        self._answer = None  # the latter during a first look
        self._per_token = False  # whether the model gives logits for each token

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
        changed = [f"'{name}' changed" for name, version in self._versions().items()
                   if self._before.get(name) != version]
        if not changed and self._first is not None:
            batch, result = self._first
            if not agree(result, self._run(batch, Pass(self, [], links_only=True))):
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
            part = part.detach()
            moved = part if part.device == self._device else to_device(part, self._device)
            copy = moved.to(self._dtype if real else part.dtype, copy=moved is part)
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
            result = self._part_of(result)
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

    def _part_of(self, result):
        if isinstance(self._output, str) and hasattr(result, self._output):
            return getattr(result, self._output)
        if not (isinstance(self._output, str) and torch.is_tensor(result)):
            with contextlib.suppress(KeyError, IndexError, TypeError):
                return result[self._output]
        raise ValueError(f"output is {self._output!r}, which {type(result).__name__}, what the model gives, does not have")

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
                passing.result = self._call(self._moved(batch.inputs, graph))
                return self._logits(passing.result, batch) if not passing.links_only else passing.result
        except Enough:
            return None
        except OURS as error:
            raise named(batch, error) from error
        finally:
            self._pass = None

    def _mask(self, batch: Batch, pool=None):
        """Where the model is; None where no pooling asks for it."""
        if pool is not None and pool.kind == _atcav.PoolKind.WHOLE and not self.has_views:
            return None
        by_name = self._forward is None or isinstance(batch.inputs, dict)
        mask = token_mask(named_inputs(self._model, batch.inputs)) if by_name else None
        return mask and mask._replace(counts=mask.counts.to(self._device))

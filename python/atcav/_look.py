"""A first look at a network: which of its layers are used, how often and in which shape, whether its answers are its
own, where its logits are."""
import contextlib
import typing

import torch

from . import _atcav
from ._examples import Batch, each_part, sliced
from ._forward import Pass
from ._hooked import OURS, HookedModel, agree
from ._pool import Layouts, layout_of


def _agree_roughly(a, b) -> bool:
    """But for rounding, which differs with the batch; mixing of examples does more than that."""
    if a.shape != b.shape:
        return False
    share = max(1e-3, 8 * torch.finfo(a.dtype).eps)
    apart = (a.double() - b.double()).abs().nan_to_num(0)
    return bool((apart <= share * max(1e-6, a.double().abs().nan_to_num(0).max())).all())


class FirstLook(HookedModel):
    """Facts about the layers, found with one batch."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._example_axis = {}
        self._calls = []  # of each layer's module in a forward pass
        self.overwritten = set()  # layers whose output an operation behind them changes where it lies

    def _dice(self):
        on_gpu = torch.cuda.get_rng_state(self._device).tolist() if self._device.type == "cuda" else []
        return torch.get_rng_state().tolist() + on_gpu

    def _look(self, batch: Batch) -> dict:
        passing = Pass(self, range(len(self._layers)), links_only=True)
        dice = self._dice()
        result = self._run(batch, passing)
        drawn = self._dice() != dice
        self._link = passing.link_of(result)
        self._layers = self._used_layers(passing, batch.rows)
        order = list(range(len(self._layers)))
        self._calls = [passing.calls[layer.module] for layer in self._layers]
        passing = Pass(self, order, look=True)
        with Layouts():
            logits = self._run(batch, passing)
        # Few random numbers may agree by chance: where some were drawn, look more often.
        again = [passing.result, *(self._run(batch, Pass(self, order, links_only=True)) for _ in range(7 if drawn else 0))]
        if not all(agree(result, other) for other in again):
            raise ValueError("the model gives different answers for the same input in evaluation mode; must have nothing "
                             "random in it (a functional dropout needs training=self.training)")
        self._answer = result
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
        found = None
        with contextlib.suppress(*OURS):
            found = self._run(Batch(sliced(batch.inputs, 0, 1), 1), Pass(self, []))
        if found is None:  # some models need two
            with contextlib.suppress(*OURS):
                found = self._run(Batch(each_part(batch.inputs, twice), 2), Pass(self, []))
        if found is not None and not _agree_roughly(logits[0], found[0]):
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

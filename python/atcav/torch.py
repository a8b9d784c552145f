"""Concepts in your own PyTorch model, with Captum's nouns: Concept, CAV, TCAV.

    tcav = TCAV(model, ["layer3"])
    results = tcav.interpret(zebras, [Concept(0, "striped", striped)], Concept(1, "random", patches), target=340)
    results["layer3"]["results"][0]["alpha_tcav"]["dagger"]

PyTorch is imported when a TCAV is made, not before.
"""
import contextlib
import dataclasses

import numpy

from . import _atcav, fit_cav, score


@dataclasses.dataclass
class Concept:
    """Examples of a concept. data_iter: a tensor of inputs, or anything that gives batches of them; of a
    batch that is a tuple or list (inputs, labels) the first part is used."""
    id: int
    name: str
    data_iter: object


@dataclasses.dataclass
class CAV:
    """The direction from the second of two concepts (random) towards the first at a layer."""
    concepts: list
    layer: str
    direction: numpy.ndarray
    stats: dict


class TCAV:
    """Tests concepts at layers of a model. layers: names as in model.named_modules().

    The model is run as it is, in evaluation mode and on the device of its parameters; modes and hooks are
    restored. A layer must give one tensor, one row per input, and be used once in a run.
    """

    def __init__(self, model, layers, batch_size=32):
        import torch
        self._torch = torch
        self.model = model
        self.layers = [layers] if isinstance(layers, str) else list(layers)
        self.batch_size = batch_size
        modules = dict(model.named_modules())
        for layer in self.layers:
            if layer not in modules:
                raise ValueError(f"the model has no layer '{layer}'; it has {', '.join(filter(None, modules))}")
        if not self.layers:
            raise ValueError("layers is empty, must name at least one")
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, must be at least 1")

    def compute_cavs(self, concepts, random, **options):
        """{layer: [CAV, ...]}, a CAV for each concept against random; options as for atcav.fit_cav."""
        random_rows = self._activations(random.data_iter)
        cavs = {layer: [] for layer in self.layers}
        for concept in concepts:
            rows = self._activations(concept.data_iter)
            for layer in self.layers:
                direction, intercept, converged = fit_cav(random_rows[layer], rows[layer], **options)
                stats = {"intercept": intercept, "converged": converged}
                cavs[layer].append(CAV([concept, random], layer, direction, stats))
        return cavs

    def interpret(self, inputs, concepts, random, target, class_name=None, **options):
        """{layer: results of atcav.score}; options as there.

        inputs: of the class, like Concept.data_iter. target: the class's column in the model's output
        (logits). p-values are corrected over all concepts and layers of the call.
        """
        name = str(target) if class_name is None else class_name
        gradients = self._gradients(inputs, target)
        random_rows = self._activations(random.data_iter)
        rows = {concept.name: self._activations(concept.data_iter) for concept in concepts}
        if len(rows) < len(concepts):
            raise ValueError("two concepts have the same name")
        scored = {}
        for layer in self.layers:
            at_layer = {concept: found[layer] for concept, found in rows.items()}
            scored[layer] = score(at_layer, random_rows[layer], {name: gradients[layer]}, layer=layer, **options)
        self._correct([result["significance"] for found in scored.values() for result in found["results"]])
        return scored

    @staticmethod
    def _correct(tests):
        p = [test["use_p"] for test in tests]
        for key, adjusted in (("bonferroni", _atcav.bonferroni(p)),
                              ("benjamini_hochberg", _atcav.benjamini_hochberg(p))):
            for test, value in zip(tests, adjusted):
                test[key] = value

    def _activations(self, data):
        torch = self._torch

        def rows(batch):
            with torch.no_grad(), self._watched() as found:
                self.model(batch)
            return found
        return self._collect(data, rows)

    def _gradients(self, data, target):
        torch = self._torch

        def rows(batch):
            with torch.enable_grad(), self._watched() as found:
                logits = self.model(batch)
                if logits.ndim != 2 or not 0 <= target < logits.shape[1]:
                    raise ValueError(f"target is {target}, but the model's output has shape {tuple(logits.shape)}")
                if not found:
                    return found
                given = torch.autograd.grad(logits[:, target].sum(), list(found.values()), allow_unused=True)
            # A layer that the logit does not depend on has no gradient at all: that is zero.
            return {layer: torch.zeros_like(tensor) if gradient is None else gradient
                    for (layer, tensor), gradient in zip(found.items(), given)}
        return self._collect(data, rows)

    def _collect(self, data, rows):
        """{layer: array with one row per input} from a function of a batch to {layer: tensor}."""
        torch = self._torch
        parts = {layer: [] for layer in self.layers}
        for batch in self._batches(data):
            for layer, tensor in rows(batch).items():
                if len(tensor) != len(batch):
                    raise ValueError(f"layer '{layer}' gives {len(tensor)} rows for {len(batch)} inputs")
                parts[layer].append(tensor.detach().flatten(1).to("cpu", torch.float32).numpy())
        for layer, found in parts.items():
            if not found:
                raise ValueError(f"layer '{layer}' was not used: there are no inputs, or the model passes it by")
        return {layer: numpy.concatenate(found) for layer, found in parts.items()}

    def _batches(self, data):
        torch = self._torch
        weight = next(self.model.parameters(), None)
        device = "cpu" if weight is None else weight.device
        for batch in data.split(self.batch_size) if torch.is_tensor(data) else data:
            yield (batch[0] if isinstance(batch, (tuple, list)) else batch).to(device)

    @contextlib.contextmanager
    def _watched(self):
        """Runs of the model inside leave each layer's output in the dict this gives."""
        found = {}
        modules = dict(self.model.named_modules())
        modes = {name: module.training for name, module in modules.items()}
        hooks = [modules[layer].register_forward_hook(self._hook(layer, found)) for layer in self.layers]
        self.model.eval()
        try:
            yield found
        finally:
            for hook in hooks:
                hook.remove()
            for name, module in modules.items():
                module.training = modes[name]

    def _hook(self, layer, found):
        torch = self._torch

        def hook(module, inputs, output):
            if not torch.is_tensor(output) or layer in found:
                raise ValueError(f"layer '{layer}' must give one tensor and be used once in a run")
            if torch.is_grad_enabled() and not output.requires_grad:
                output.requires_grad_()  # all weights before it are frozen
            found[layer] = output
            # The rest of the model goes on with a copy: an in-place ReLU behind would overwrite the output.
            return output.clone()
        return hook

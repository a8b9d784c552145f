"""Activations of concepts: noted by hooks, kept with their inner products."""
import numpy
import torch

from ._classifier import products


class LayerActivations:
    """Activations of the concepts at a layer, and their inner products, each computed once."""

    def __init__(self):
        self.batches = {}  # by concept
        self._rows = {}
        self._products = {}
        self._origin = None  # close to all rows, so that products keep their digits

    def set(self, concept, batches) -> None:
        self.batches[concept] = batches
        self._rows.pop(concept, None)
        self._products = {pair: block for pair, block in self._products.items() if concept not in pair}

    def rows(self, concept):
        if concept not in self._rows:
            rows = torch.cat(self.batches[concept]).cpu().float()
            if self._origin is None:
                self._origin = rows.mean(0)
            self._rows[concept] = rows - self._origin
        return self._rows[concept]

    def gram(self, concepts):
        def block(a, b):
            if (a, b) not in self._products:
                self._products[a, b] = products(self.rows(a), self.rows(b))
                self._products[b, a] = self._products[a, b].T
            return self._products[a, b]
        return numpy.block([[block(a, b) for b in concepts] for a in concepts])

    def mixed(self, concepts, coefficients):
        parts = coefficients.split([len(self.rows(concept)) for concept in concepts])
        return sum(self.rows(concept).T @ part for concept, part in zip(concepts, parts))


class Recorder:
    """Runs of the model inside leave each layer's output, or input, in `found`."""

    def __init__(self, model, layers, of_input: bool, gradients: bool):
        self._modules = {layer: model.get_submodule(layer) for layer in layers}
        self._of_input = of_input
        self._gradients = gradients
        self.found = {}

    def __enter__(self):
        self._hooks = []
        for layer, module in self._modules.items():
            if self._of_input:
                hook = module.register_forward_pre_hook(lambda _, given, layer=layer: self._note(layer, given))
            else:
                hook = module.register_forward_hook(lambda _, __, given, layer=layer: self._note(layer, given))
            self._hooks.append(hook)
        return self.found

    def __exit__(self, *_):
        for hook in self._hooks:
            hook.remove()

    def _note(self, layer, given):
        tensor = given[0] if isinstance(given, tuple) else given
        if self._gradients and not tensor.requires_grad:
            tensor = tensor.detach().requires_grad_()
        self.found[layer] = tensor
        # The rest goes on with a copy: an in-place operation behind would overwrite the layer's output.
        copy = tensor.clone()
        return (copy, *given[1:]) if isinstance(given, tuple) else copy

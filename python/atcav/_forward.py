"""One forward pass of a module: what our hooks note and change."""
import torch

LINKS = (torch.nn.Softmax, torch.nn.LogSoftmax, torch.nn.Sigmoid)


class Enough(BaseException):
    """All layers were seen: the rest of the forward pass is not needed. No `except Exception` catches it."""


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


class Pass:
    """One forward pass: what the hooks note and change."""

    def __init__(self, network, layers, *, stop=False, gradients=False, replaced=None, links_only=False, keep=None,
                 look=False):
        """keep: a function (layer, tensor) that gives the rows to hold on to, instead of the tensor; look: note which
        outputs are overwritten later in the pass."""
        self._network = network
        self._keep = keep
        self._look = look
        self._lent = {}  # layer: (its tensor, which the model goes on with, its version, a copy for a look)
        self._wanted = {}  # (module, whether its input): {call: positions in the network's layers}
        for k in layers:
            layer = network._layers[k]
            call = layer.call
            if not links_only and call < 0:
                call = network._calls[k] - 1
            self._wanted.setdefault((layer.module, layer.of_input), {}).setdefault(call, []).append(k)
        self._missing = len(layers)
        self._stop = stop
        self._gradients = gradients
        self._replaced = replaced
        self.links_only = links_only  # a first look: counts calls, finds a Softmax at the end
        self.calls = {layer.module: 0 for layer in network._layers}
        self.order = []  # modules as they finish, with what they give
        self._found = {}
        self._links = []
        self.link_input = None
        self.result = None  # what output= picked of what the model gave
        self.start = None  # what stands in for the layer, where gradients begin

    def entered(self, module, inputs):
        """Before the module runs: what takes the place of its inputs, or None."""
        return self._noted((module, True), self.calls[module], inputs)

    def saw(self, module, inputs, output):
        """After it ran: what takes the place of its output, or None."""
        if isinstance(module, LINKS):
            self._links.append((module, inputs[0] if inputs else None, output))
            if module is self._network._link:
                self.link_input = inputs[0]
        if module not in self.calls:
            return None
        call = self.calls[module]
        self.calls[module] += 1
        if self.links_only:
            self.order.append((module, first_tensor(output)[0]))
        return self._noted((module, False), call, output)

    def _noted(self, place, call, output):
        own = () if self.links_only else self._wanted.get(place, {}).get(call, ())
        if not own:
            return None
        name = self._network._layers[own[0]].name
        tensor, rebuild = first_tensor(output)
        if tensor is None:
            raise ValueError(f"layer '{name}' gives no tensor")
        if not tensor.is_floating_point():
            raise ValueError(f"layer '{name}' gives {tensor.dtype}, must be floating-point numbers")
        if self._gradients:
            torch.set_grad_enabled(True)  # from here on: what lies before the first layer needs no graph
        if self._replaced is not None:
            return rebuild(self._stand_in(own[0], tensor))
        if self._gradients and not tensor.requires_grad:
            tensor = tensor.detach().requires_grad_()
        for k in own:
            self._found[k] = tensor if self._keep is None else self._keep(k, tensor)
        self._missing -= len(own)
        if self._stop and self._missing == 0:
            raise Enough
        if not self._network.overwritten.isdisjoint(own) or tensor.is_inference():
            return rebuild(tensor.clone())  # an operation behind overwrites what the model goes on with
        self._lend(own, tensor)
        return rebuild(tensor) if self._gradients else None

    def _lend(self, own, tensor) -> None:
        """The model goes on with memory that is kept: whether something overwrites it is seen later."""
        for k in own:
            if self._look or (not self._gradients and self._found[k].data_ptr() == tensor.data_ptr()):
                self._lent[k] = tensor, tensor._version, tensor.clone() if self._look else None

    def overwritten(self) -> set:
        """Layers whose output was changed where it lies by what came behind them."""
        return {k for k, (tensor, version, copy) in self._lent.items()
                if tensor._version != version or (copy is not None and not torch.equal(tensor, copy))}

    def _stand_in(self, k, tensor):
        rows = len(self._replaced)
        if self._network._layers[k].is_view:
            raise ValueError(f"layer '{self._network._layers[k].name}' is a part of a tensor, which cannot be replaced: leave "
                             "out intervene=")
        shape = self._network._by_example(k, tensor, rows).shape
        values = torch.as_tensor(self._replaced).to(tensor.device, tensor.dtype).reshape(shape)
        if self._gradients:
            self.start = values.requires_grad_()
            values = values.clone()  # an in-place operation behind must not overwrite where the gradient starts
        return values if self._network._example_axis[k] == 0 else values.movedim(0, 1)

    def seen(self, k):
        if k not in self._found:
            layer = self._network._layers[k]
            calls = self.calls.get(layer.module, 0)
            if layer.of_input and calls > 0:
                raise ValueError(f"layer '{layer.name}': its module takes no tensor by position")
            raise ValueError(f"layer '{layer.name}' was not used: the model passes it by" if calls == 0 else
                             f"layer '{layer.name}' was used {'once' if calls == 1 else f'{calls} times'}, not as often as for the first "
                             "examples")
        return self._found[k]

    def link_of(self, result):
        """The Softmax whose output the model gives, if there is one."""
        for module, given, output in reversed(self._links):
            if output is result and torch.is_tensor(given):
                return module
        return None

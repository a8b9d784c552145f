"""Which modules of a network are meant: names, patterns, modules themselves, one call of several."""
import typing

import torch

from . import _atcav


class Layer(typing.NamedTuple):
    name: str  # as the user wrote it, or the module's where a pattern found it
    module: torch.nn.Module
    call: int  # which of its calls in a forward pass, from 0; -1: the last
    pattern: str  # that found it; empty: it was named


def find_layers(model, wanted) -> typing.List[Layer]:
    if not (isinstance(wanted, torch.nn.Module) or hasattr(wanted, "__iter__")):
        raise TypeError(f"layers is {wanted!r}, must be names or modules")
    modules = [module for name, module in model.named_modules() if name]
    places = {module: k for k, module in enumerate(modules)}
    # A module that has several names is found by each.
    known = [(name, places[module]) for name, module in model.named_modules(remove_duplicate=False) if name]
    found = []
    for one in [wanted] if isinstance(wanted, (str, torch.nn.Module)) else wanted:
        if isinstance(one, torch.nn.Module):
            names = [name for name, module in model.named_modules() if module is one]
            if not names:
                raise ValueError(f"a layer is {type(one).__name__}, which is not part of the model")
            found.append(Layer(names[0] or type(one).__name__, one, -1, ""))
            continue
        path, _, call = str(one).partition("#")
        if call and not (call.isdigit() and int(call) > 0):
            raise ValueError(f"layer is '{one}', must be NAME or NAME#N with N = 1, 2, …")
        for name, place in _atcav.find_layers(known, path):
            found.append(Layer(name + ("#" + call if call else ""), modules[place], int(call) - 1 if call else -1,
                               "" if name == path else str(one)))
    _check(found)
    return found


def _check(found) -> None:
    seen = set()
    for layer in found:
        if (layer.module, layer.call) in seen:
            raise ValueError(f"layer '{layer.name}' is given twice")
        seen.add((layer.module, layer.call))
        if isinstance(layer.module, torch.jit.ScriptModule):
            raise TypeError(f"layer '{layer.name}' is compiled by torch.jit, which runs without hooks; must be the module that "
                            "it was made of, or an ONNX file")
    if not found:
        raise ValueError("layers is empty, must name at least one")

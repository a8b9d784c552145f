"""Which modules of a network are meant: names, patterns, modules themselves, one call of several."""
import difflib
import fnmatch
import typing

import torch


class Layer(typing.NamedTuple):
    name: str  # as the user wrote it, or the module's where a pattern found it
    module: torch.nn.Module
    call: int  # which of its calls in a forward pass, from 0; -1: the last


def find_layers(model, wanted) -> typing.List[Layer]:
    modules = dict(model.named_modules())
    names = {module: name for name, module in modules.items()}
    aliases = dict(model.named_modules(remove_duplicate=False))  # a module that has several names is found by each
    found = []
    if not (isinstance(wanted, torch.nn.Module) or hasattr(wanted, "__iter__")):
        raise TypeError(f"layers is {wanted!r}, must be names or modules")
    for one in [wanted] if isinstance(wanted, (str, torch.nn.Module)) else wanted:
        if isinstance(one, torch.nn.Module):
            if one not in names:
                raise ValueError(f"a layer is {type(one).__name__}, which is not part of the model")
            found.append(Layer(names[one] or type(one).__name__, one, -1))
            continue
        path, _, call = str(one).partition("#")
        if call and not (call.isdigit() and int(call) > 0):
            raise ValueError(f"layer is '{one}', must be NAME or NAME#N with N = 1, 2, …")
        matched = [path] if path in aliases and path else \
            [name for name in modules if name and any(sign in path for sign in "*?[") and fnmatch.fnmatchcase(name, path)]
        if not matched:
            near = difflib.get_close_matches(path, filter(None, modules), 5, 0.3) or list(filter(None, modules))[:10]
            raise ValueError(f"the model has no layer '{one}'; closest: {', '.join(near)}")
        for name in matched:
            found.append(Layer(name + ("#" + call if call else ""), aliases[name], int(call) - 1 if call else -1))
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
    return found

"""What is behind `model`: a torch module or an ONNX file, and how its batches are read."""
import contextlib
import os
import sys
import typing

from ._text import texts_of, tokens_of


class Opened(typing.NamedTuple):
    module: typing.Any  # None: an ONNX file
    used: typing.Any  # (name of a set, batch) to what the module is called with
    layers: typing.Any
    title: str  # what results.json says of it


def open_file(path, layers, output, chosen, for_modules) -> Opened:
    if for_modules or not (output is None or isinstance(output, str)):
        raise TypeError("forward, tokenizer, model_id, a list as pool and a function as output are for a torch.nn.Module, not "
                        "for an ONNX file")
    if not os.path.isfile(path):
        raise RuntimeError(f"model is {os.fspath(path)!r}, which is not a file; must be a torch.nn.Module or an ONNX file")
    if output is not None:
        chosen["output"] = output
    if "torch" not in sys.modules:
        # The plugin must use the library that Python would load.
        with contextlib.suppress(ImportError):
            import torch  # noqa: F401
    return Opened(None, _as_it_is, [layers] if isinstance(layers, str) else list(layers), os.fspath(path))


def open_module(model, layers, forward, tokenizer, options) -> Opened:
    module = as_module(model)
    for keyword in ("device", "precision"):
        if keyword in options:
            raise TypeError(f"{keyword} is for ONNX files; a module is used where it is: model.to(...)")
    if forward is None:
        from ._inputs import pick_inputs
        used = pick_inputs(module, tokenizer)
    elif tokenizer is None:
        used = _as_it_is
    else:
        def used(where, batch):
            texts = texts_of(batch)
            return batch if texts is None else tokens_of(tokenizer, texts)
    return Opened(module, used, layers, type(module).__name__)


def as_module(model):
    if "torch" in sys.modules:
        import torch
        if isinstance(model, torch.nn.Module):
            return getattr(model, "_orig_mod", model)  # torch.compile does not see our hooks
    raise TypeError(f"model is {type(model).__name__}, must be a torch.nn.Module or the path of an ONNX file")


def _as_it_is(name, batch):
    return batch

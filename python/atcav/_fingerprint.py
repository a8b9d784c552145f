"""What cached activations belong to: a hash of a module's weights, structure and code."""
import hashlib
import inspect

import numpy
import torch


def fingerprint(model, device, code) -> str:
    """code: functions and classes of the user's that the answer depends on besides the model's own."""
    parts = [torch.__version__, str(model), str(device.type)]
    kinds = {type(module) for module in model.modules()}
    for piece in [*sorted(kinds, key=lambda kind: kind.__qualname__), *code]:
        if piece is None or (getattr(piece, "__module__", None) or "").startswith("torch."):
            continue
        try:
            parts.append(inspect.getsource(piece))
        except (OSError, TypeError):
            parts.append(repr(piece) if isinstance(piece, (str, int)) else getattr(piece, "__qualname__", "code"))
    whole = hashlib.sha256("\n".join(parts).encode())
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        value = value.detach()
        whole.update(f"\n{name} {tuple(value.shape)} {value.dtype}\n".encode())
        if value.is_floating_point() and value.element_size() < 4:
            value = value.float()
        whole.update(numpy.ascontiguousarray(value.cpu().numpy()))
    return whole.hexdigest()

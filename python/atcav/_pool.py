"""What is kept of a layer with positions, by the words of model::Pool in C++: none, mean, max, cls, last, a token's number.

Positions are height and width of images (examples × channels × …) and tokens of sequences (examples × tokens × features;
behind a 1-d convolution examples × channels × length).
"""
# By the names of autograd's steps: what puts channels first, and what leaves the order as it was.
_MAKES = ("Convolution", "NativeBatchNorm", "CudnnBatchNorm", "MiopenBatchNorm", "NativeGroupNorm", "MaxPool", "AvgPool",
          "AdaptiveAvgPool", "AdaptiveMaxPool")
_KEEPS = tuple(f"{name}Backward" for name in (
    "Relu", "LeakyRelu", "Elu", "Celu", "Sigmoid", "Tanh", "Hardtanh", "Clamp", "Gelu", "Silu", "Hardswish", "Mish", "Prelu",
    "PreluKernel", "Add", "Sub", "Mul", "Div", "Cat", "Clone", "Squeeze"))


def is_channels_first(tensor) -> bool:
    """Whether a tensor with a graph came out of a convolution, a pooling or what keeps their order."""
    waiting, seen = [tensor.grad_fn], set()
    while waiting:
        step = waiting.pop()
        if step is None or step in seen:
            continue
        seen.add(step)
        if step.name().startswith(_MAKES):
            return True
        if step.name().startswith(_KEEPS):
            waiting += [before for before, _ in step.next_functions]
    return False


def positions(dimensions: int, channels_first: bool) -> tuple:
    """Which dimensions are positions; none in layers of fewer than three. Four and more are images."""
    if dimensions < 3:
        return ()
    return tuple(range(2, dimensions)) if channels_first or dimensions > 3 else (1,)


def pooled(tensor, pool: str, dims: tuple, mask=None, at=None):
    """Examples × channels of activations, or of gradients at the activations `at`. mask: examples × tokens."""
    if pool == "none" or not dims:
        return tensor.reshape(len(tensor), -1)
    if mask is not None:
        fits = mask.ndim == 2 and len(dims) == 1 and mask.shape[1] == tensor.shape[dims[0]]
        mask = mask.to(tensor.device).ne(0) if fits else None
    tokens = _positions_last(tensor, dims)
    if pool == "mean":
        if mask is None:
            return tokens.mean(2) if at is None else tokens.sum(2)
        total = (tokens * mask[:, None]).sum(2)
        return total / mask.sum(1, keepdim=True).clamp(min=1) if at is None else total
    values = tokens if at is None else _positions_last(at, dims)
    return tokens.gather(2, _chosen(values, pool, dims, mask)).squeeze(2)


def _positions_last(tensor, dims):
    return tensor.flatten(2) if dims[0] == 2 else tensor.transpose(1, 2)


def _chosen(values, pool, dims, mask):
    """The position to keep for each example and channel."""
    examples, channels, count = values.shape
    if pool == "max":
        if mask is not None:
            values = values.masked_fill(~mask[:, None], -float("inf"))
        return values.argmax(2, keepdim=True)
    if len(dims) > 1:
        raise ValueError(f"pool is {pool!r}, a token, but the layer has {len(dims)} dimensions of positions")
    token = {"cls": 0, "last": count - 1}.get(pool)
    if token is None:
        token = int(pool)
        if token >= count:
            raise ValueError(f"pool is {pool!r}, a token's number, must be below {count}, the number of tokens")
    chosen = values.new_full((examples,), token).long()
    if pool == "last" and mask is not None:
        chosen = (mask * chosen.new_tensor(range(count))).amax(1)
    return chosen[:, None, None].expand(examples, channels, 1)

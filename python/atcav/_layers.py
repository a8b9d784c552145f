"""Which modules of a network are meant: names, patterns, modules themselves; one call of several, what goes in instead of
what comes out, a part of it."""
import re
import typing

import torch

from . import _atcav


class Layer(typing.NamedTuple):
    name: str  # as the user wrote it, or the module's where a pattern found it
    module: torch.nn.Module
    call: int  # which of its calls in a forward pass, from 0; -1: the last
    pattern: str  # that found it; empty: it was named
    of_input: bool = False  # the module's first input, not what it gives
    part: typing.Optional[tuple] = None  # of the tensor, examples first: an index for each dimension
    pool: typing.Optional[_atcav.Pool] = None  # instead of the run's: one of several positions

    @property
    def is_view(self) -> bool:
        """Whether it is less than the whole tensor."""
        return self.part is not None or self.pool is not None


_SPELLING = re.compile(r"(?P<path>[^#\[:]*)(#(?P<call>[^\[:]*))?(?P<input>:in)?(?P<part>\[.*\])?")


def _of_module(model, module) -> Layer:
    names = [name for name, one in model.named_modules() if one is module]
    if not names:
        raise ValueError(f"a layer is {type(module).__name__}, which is not part of the model")
    return Layer(names[0] or type(module).__name__, module, -1, "")


def _of_name(spelling, modules, known) -> typing.Iterator[Layer]:
    spelled = _SPELLING.fullmatch(spelling)
    call = spelled and spelled["call"]
    if not spelled or (call is not None and not (call.isdigit() and int(call) > 0)):
        raise ValueError(f"layer is '{spelling}', must be NAME, NAME#N with N = 1, 2, …, NAME:in for its input, or "
                         "NAME[:, …] for a part")
    path = spelled["path"]
    for name, place in _atcav.find_layers(known, path):
        yield Layer(name + spelling[len(path):], modules[place], int(call) - 1 if call else -1,
                    "" if name == path else spelling, bool(spelled["input"]), _part(spelling, spelled["part"]))


def find_layers(model, wanted, positions=()) -> typing.List[Layer]:
    """positions: tokens, each of which is a layer of its own then."""
    if not (isinstance(wanted, torch.nn.Module) or hasattr(wanted, "__iter__")):
        raise TypeError(f"layers is {wanted!r}, must be names or modules")
    modules = [module for name, module in model.named_modules() if name]
    places = {module: k for k, module in enumerate(modules)}
    # A module that has several names is found by each.
    known = [(name, places[module]) for name, module in model.named_modules(remove_duplicate=False) if name]
    found = []
    for one in [wanted] if isinstance(wanted, (str, torch.nn.Module)) else wanted:
        if isinstance(one, torch.nn.Module):
            found.append(_of_module(model, one))
        else:
            found.extend(_of_name(str(one), modules, known))
    if positions:
        found = [layer._replace(name=f"{layer.name}@{position}", pool=_position(position))
                 for layer in found for position in positions]
    _check(found)
    return found


def _position(given):
    if isinstance(given, bool) or not isinstance(given, (int, str)):
        raise TypeError(f"pool has {given!r}, must have tokens' numbers, -1 or \"last\", \"cls\"")
    pool = _atcav.read_pool("last" if given == -1 else str(given))
    if pool.kind != _atcav.PoolKind.TOKEN:
        raise ValueError(f"pool is a list with '{given}', must list tokens: numbers, -1 or \"last\", \"cls\"")
    return pool


def _part(layer: str, text: typing.Optional[str]):
    """The index that "[:, :, 64:128]" stands for."""
    if text is None:
        return None
    index = []
    for piece in text[1:-1].split(","):
        ends = [end.strip() for end in piece.split(":")]
        if not 1 <= len(ends) <= 3 or not all(re.fullmatch(r"-?\d*", end) and end != "-" for end in ends) or ends == [""]:
            raise ValueError(f"layer is '{layer}': '{piece.strip()}' must be a number or a slice like 64:128")
        numbers = [int(end) if end else None for end in ends]
        index.append(slice(*numbers) if len(ends) > 1 else numbers[0])
    if index[0] != slice(None, None):
        raise ValueError(f"layer is '{layer}': the first of the brackets counts examples, must be ':'")
    return tuple(index)


def _check(found) -> None:
    seen = set()
    for layer in found:
        place = (layer.module, layer.call, layer.of_input, str(layer.part), str(layer.pool))
        if place in seen:
            raise ValueError(f"layer '{layer.name}' is given twice")
        seen.add(place)
        if isinstance(layer.module, torch.jit.ScriptModule):
            raise TypeError(f"layer '{layer.name}' is compiled by torch.jit, which runs without hooks; must be the module that "
                            "it was made of, or an ONNX file")
    if not found:
        raise ValueError("layers is empty, must name at least one")

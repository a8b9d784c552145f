"""What cached activations belong to: a hash of a module's weights, attributes and hooks, and of the code that runs it."""
import functools
import hashlib
import inspect
import os
import sys
import types

import numpy
import torch

from . import _atcav

# Of a module: what changes no result, or is other for each process (numbers of hooks).
_NOT_THE_MODEL = {"training", "_compiled_call_impl", "_is_hf_initialized", "warnings_issued"}
_INSTALLED = tuple({os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(torch.__file__))})


class Unhashable(Exception):
    """The answer may depend on something whose content cannot be seen."""


def fingerprint(model, device, code) -> str:
    """code: functions of the user's that the answer depends on besides the model. Unhashable where that cannot be said."""
    hashed = _Hash()
    hashed.put(f"{torch.__version__} {sys.version_info[:2]} {device.type} {torch.is_autocast_enabled()}")
    for_all = torch.nn.modules.module
    try:
        for hooks in (for_all._global_forward_hooks, for_all._global_forward_pre_hooks):
            hashed.add("a hook of all modules", list(hooks.values()))
        hashed.add("the model", model)
        for piece in code:
            hashed.add("forward= or output=", piece)
        hashed.add_contents()
    except Unhashable:
        raise
    except Exception as error:  # of the user's objects: deep nesting, attributes that cannot be read
        raise Unhashable(f"{type(error).__name__}: {error}") from error
    return hashed.hexdigest()


def hash_of_weights(model) -> str:
    hashed = _Hash()
    hashed.put(str(model))
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        hashed.add(name, value)
    hashed.add_contents()
    return hashed.hexdigest()


class _Hash:
    """Values by content: the same in another process, other where anything that a function of them reads is other."""

    def __init__(self):
        self._hash = hashlib.sha256()
        self._seen = {}  # by id; the values too, so that no id is used twice
        self._tensors = []  # whose content comes at the end
        self.hexdigest = self._hash.hexdigest

    def put(self, text: str) -> None:
        self._hash.update(f"{len(text)}:{text}".encode("utf-8", "surrogatepass"))

    def add(self, where: str, value) -> None:
        """where: what a message calls it."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)) and type(value).__module__ == "builtins":
            self.put(f"{type(value).__name__} {value!r}")
            return
        if id(value) in self._seen:
            self.put(f"again {self._seen[id(value)][0]}")
            return
        self._seen[id(value)] = len(self._seen), value
        self.put(type(value).__qualname__)
        if torch.is_tensor(value):
            self._add_tensor(where, value)
        elif isinstance(value, numpy.ndarray) and not value.dtype.hasobject:
            self.put(f"{value.dtype} {value.shape}")
            self._hash.update(numpy.ascontiguousarray(value))
        elif isinstance(value, torch.nn.Module):
            self._add_module(where, value)
        elif isinstance(value, (types.FunctionType, types.MethodType, functools.partial, types.CodeType, type,
                                types.ModuleType, types.BuiltinFunctionType)):
            self._add_code(where, value)
        else:
            self._add_object(where, value)

    def _add_each(self, where, values) -> None:
        self.put(str(len(values)))
        for value in values:
            self.add(where, value)

    def _add_dict(self, where, values) -> None:
        self.put(str(len(values)))
        for key, value in values.items():
            self.add(where, key)
            self.add(f"{where}.{key}" if isinstance(key, str) else where, value)

    def _add_tensor(self, where, value) -> None:
        value = value.detach()
        self.put(f"{value.dtype} {tuple(value.shape)}")
        try:
            value = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
            self._tensors.append(value.contiguous().reshape(-1).view(torch.uint8))
        except (RuntimeError, TypeError):
            raise Unhashable(f"{where} is a tensor whose numbers cannot be read") from None

    def add_contents(self) -> None:
        """Of all tensors, where they are: after everything else, so that they are hashed side by side."""
        try:
            for digest in contents(self._tensors):
                self._hash.update(digest)
        except (RuntimeError, TypeError):
            raise Unhashable("a tensor's numbers cannot be read") from None
        self._tensors = []

    def _add_module(self, where, module) -> None:
        self.add(where, type(module))
        for name, value in vars(module).items():
            if name in _NOT_THE_MODEL or "state_dict" in name:
                continue
            self.put(name)
            # Hooks have numbers that count all hooks of the process.
            if isinstance(value, dict) and "_hooks" in name:
                self._add_each(f"a hook of {where}", list(value.values()))
            elif isinstance(value, dict):
                self._add_dict(where, value)
            else:
                self.add(f"{where}.{name}", value)

    def _add_code(self, where, value) -> None:
        if isinstance(value, functools.partial):
            self.add(where, value.func)
            self._add_each(where, value.args)
            self._add_dict(where, value.keywords)
            self._add_dict(where, vars(value))
        elif isinstance(value, types.MethodType):
            self.add(where, value.__self__)
            self.add(where, value.__func__)
        elif isinstance(value, types.CodeType):
            self._hash.update(value.co_code)
            self._add_each(where, value.co_consts)
            self._add_each(where, value.co_names + value.co_varnames + value.co_freevars)
        elif isinstance(value, types.FunctionType):
            self._add_function(where, value)
        elif isinstance(value, type):
            self._add_class(where, value)
        else:
            self.put(getattr(value, "__name__", ""))
            if isinstance(value, types.BuiltinFunctionType) and not isinstance(value.__self__, (types.ModuleType, type(None))):
                self.add(where, value.__self__)

    def _add_function(self, where, function) -> None:
        self.add(where, function.__code__)
        self.add(where, function.__defaults__)
        self.add(where, function.__kwdefaults__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                self.add(f"'{name}', which {function.__qualname__} reads", cell.cell_contents)
            except ValueError:
                self.put("an empty cell")
        if not _is_installed(function):
            names = _names(function.__code__)
            self._add_read(function, names, function.__globals__)

    def _add_read(self, function, names, there) -> None:
        for name in names:
            value = there.get(name)
            self.add(f"'{name}', which {function.__qualname__} reads", value)
            if isinstance(value, types.ModuleType) and not _is_installed(value):
                self._add_read(function, [one for one in names if one != name], vars(value))

    def _add_class(self, where, kind) -> None:
        self.put(f"{kind.__module__}.{kind.__qualname__}")
        known = kind.__module__.split(".")[0] in ("builtins", "torch", "numpy", "collections", "abc", "enum", "typing")
        installed = _is_installed(kind)
        for name, value in sorted(vars(kind).items()):
            value = getattr(value, "__func__", value)
            for part in [value.fget, value.fset] if isinstance(value, property) else [value]:
                if isinstance(part, types.FunctionType):
                    if known and _is_installed(part):
                        continue
                    self.put(name)
                    self.add(f"{kind.__qualname__}.{name}", part.__code__ if installed and _is_installed(part) else part)
                elif not installed and not name.startswith(("__", "_abc_")):
                    self.put(name)
                    self.add(f"{kind.__qualname__}.{name}", part)
        self._add_each(where, () if known else kind.__bases__)

    def _add_object(self, where, value) -> None:
        self.add(where, getattr(value, "__wrapped__", None))  # a function behind lru_cache
        if isinstance(value, (tuple, list)) and type(value).__reduce_ex__ is object.__reduce_ex__:
            self._add_each(where, value)
            self._add_dict(where, getattr(value, "__dict__", {}))
        elif isinstance(value, dict) and type(value).__module__ in ("builtins", "collections"):
            self._add_dict(where, value)
        elif isinstance(value, (set, frozenset)):
            self._add_each(where, sorted(value, key=repr))
        else:
            if not _is_installed(type(value)):
                self.add(where, type(value))
            try:
                made = value.__reduce_ex__(4)
            except Exception:
                raise Unhashable(f"{where} is a {type(value).__name__}, whose content cannot be seen") from None
            if isinstance(made, str):
                self.put(made)
                return
            for part in made:
                if inspect.isgenerator(part) or hasattr(part, "__next__"):
                    part = list(part)
                self.add(where, part)


_WORDS = 1 << 18  # that one sum is made of
_TOGETHER = 1 << 26  # bytes


def contents(tensors) -> list:
    """Digests of the bytes of tensors: of those in memory SHA-256 of each; of those on a device sums of 32-bit words times
    fixed random numbers, modulo 2^64 and two for 256 kB each, which are made there."""
    found = []
    here = [value.numpy() for value in tensors if value.device.type == "cpu"]
    found += [digest.encode() for digest in _atcav.sha256_each(here)]
    for device in dict.fromkeys(value.device for value in tensors if value.device.type != "cpu"):
        factors = torch.from_numpy(numpy.random.RandomState(7).randint(-1 << 63, (1 << 63) - 1, (2, _WORDS))).to(device)
        sums, group, size = [], [], 0
        there = [value for value in tensors if value.device == device]
        for k, value in enumerate(there):
            for piece in value.split(_TOGETHER):
                group.append(piece)
                size += len(piece)
            if size >= _TOGETHER or k == len(there) - 1:
                sums += _sums(group, factors)
                group, size = [], 0
        found += [one.cpu().numpy().tobytes() for one in sums]
    return found


def _sums(group, factors) -> list:
    """For each of two rows of factors one sum per 2^18 words."""
    size = sum(len(piece) for piece in group)
    padding = torch.zeros(-size % (4 * _WORDS), dtype=torch.uint8, device=factors.device)
    words = torch.cat([*group, padding]).view(torch.int32).reshape(-1, _WORDS)
    return [torch.stack([(part.long() * row).sum(1) for row in factors]) for part in words.split(256)]


def _names(code) -> list:
    """Of globals that code reads, with that of functions inside it."""
    inner = [name for one in code.co_consts if isinstance(one, types.CodeType) for name in _names(one)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _is_installed(thing) -> bool:
    """Whether it is of a library: then its name stands for what it reads."""
    module = thing if isinstance(thing, types.ModuleType) else sys.modules.get(getattr(thing, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    return file.startswith(_INSTALLED) if file else getattr(module, "__name__", "__main__") != "__main__"

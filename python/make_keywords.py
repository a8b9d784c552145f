"""make_keywords.py MODULE OPTIONS OUT: types of the keywords of score(), run() and discover(), from the compiled MODULE's table of options
as OPTIONS (atcav/_options.py) divides it, so that editors complete them and type checkers know them."""
import importlib.util
import pathlib
import sys
import types

HEAD = '''"""Keywords of score(), run() and discover(), for editors and type checkers; made by make_keywords.py."""
import os
import typing

Path = typing.Union[str, "os.PathLike[str]"]
Texts = typing.Union[str, typing.Sequence[str]]
'''
# By what the option's help shows for its value.
TYPES = {
    "": "bool", "N": "int", "NUMBER": "float", "GB": "float", "N|auto": "typing.Union[int, typing.Literal['auto']]",
    "LIST": "typing.Sequence[float]", "ALPHA": "typing.Union[float, str, typing.Sequence[typing.Union[float, str]]]",
    "A:B": "typing.Union[typing.Tuple[str, str], typing.Sequence[typing.Union[str, typing.Tuple[str, str]]]]",
    "WORD": "str", "REGEX": "str", "NAME": "str", "TENSOR": "str", "FILE": "Path", "DIR": "Path", "PATH": "Path"}
# What Python takes besides (docs/python.md).
OWN = {"pool": "object", "pooling": "typing.Union[str, int, typing.Sequence[int]]"}


def load(name: str, path: str):
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def type_of(option) -> str:
    if option.words:
        return f"typing.Literal[{', '.join(map(repr, option.words))}]"
    return "Texts" if option.repeatable and option.type not in TYPES else TYPES[option.type]


def make_class(name: str, function: str, table) -> str:
    lines = [f"class {name}(typing.TypedDict, total=False):", f'    """Keywords of {function}()."""']
    for keyword, option in table.items():
        lines.append(f"    {keyword}: typing.Optional[{OWN.get(keyword) or type_of(option)}]  # {option.help}")
    return "\n".join(lines)


if importlib.util.find_spec("numpy") is None:  # where pip builds, it is not there and nothing is computed
    sys.modules["numpy"] = types.ModuleType("numpy")
package = types.ModuleType("atcav")  # without what it imports
package.__path__ = []
sys.modules["atcav"] = package
package._atcav = load("atcav._atcav", sys.argv[1])
options = load("atcav._options", sys.argv[2])
pathlib.Path(sys.argv[3]).write_text(
    "\n\n\n".join([HEAD.rstrip(), make_class("ScoreOptions", "score", options.SCORE),
                   make_class("RunOptions", "run", options.RUN),
                   make_class("DiscoverOptions", "discover", options.DISCOVER)]) + "\n", encoding="utf-8")

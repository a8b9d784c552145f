"""Writes docs/python-api.md from the docstrings of the installed package: python tools/python_api_page.py [FILE]."""
import inspect
import pathlib
import re
import sys

import atcav
import atcav.captum

TITLE = """# Python API

Made from the docstrings by `tools/python_api_page.py`; [python.md](python.md) is the guide.
"""


def compiled_signature(function) -> str:
    """As pybind11 writes it, first in the docstring."""
    found = re.match(r"\w+\((.*)\)", (function.__doc__ or "").split("\n")[0].partition(" -> ")[0])
    return f"({', '.join(map(argument, split(found.group(1))))})" if found else "(…)"


def split(text: str) -> list:
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def argument(text: str) -> str:
    """Without its annotation, whose words depend on pybind11's version."""
    name, _, rest = text.partition(":")
    _, equals, default = rest.rpartition(" = ")
    return name.strip() + (f"={default}" if equals else "")


def doc(thing) -> str:
    text = inspect.getdoc(thing) or ""
    if inspect.isbuiltin(thing) or type(thing).__name__ in ("builtin_function_or_method", "instancemethod"):
        text = "\n".join(text.split("\n")[1:]).strip()
    # The table of options has a page of its own, configuration.md.
    return re.sub(r"(Further keywords are the options of `atcav \w+`):.*", r"\1.", text, flags=re.DOTALL)


def fenced(text: str) -> str:
    return f"```text\n{text}\n```\n" if text else ""


def class_part(name: str, kind) -> str:
    lines = [f"### {name}\n", fenced(doc(kind))]
    for member, value in vars(kind).items():
        if member.startswith("_") or not (callable(value) or isinstance(value, (property, staticmethod))):
            continue
        value = value.__func__ if isinstance(value, staticmethod) else value
        head = member if isinstance(value, property) else member + plain(value)
        text = doc(value)
        lines.append(f"- `{head}`" + (f": {' '.join(text.split())}" if text else "") + "\n")
    return "\n".join(lines)


def plain(function) -> str:
    """The signature without annotations."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return compiled_signature(function).replace("(self, ", "(").replace("(self)", "()")
    keep = [one.replace(annotation=one.empty) for one in found.parameters.values() if one.name != "self"]
    return str(found.replace(parameters=keep, return_annotation=found.empty))


def part(module, names) -> str:
    lines = []
    for name in names:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            lines.append(class_part(name, thing))
        elif callable(thing):
            lines.append(f"### {name}\n\n`{name}{plain(thing)}`\n\n{fenced(doc(thing))}")
    return "\n".join(lines)


def page() -> str:
    first = ["run", "score", "score_directions", "discover", "load_cavs", "Run", "Result", "Discovery", "Candidate"]
    rest = [name for name in atcav.__all__ if name not in first and name not in ("__version__", "theory")]
    sections = [TITLE, "## atcav\n", part(atcav, first), part(atcav, rest), "## atcav.theory\n",
                fenced(doc(atcav.theory)), part(atcav.theory, atcav.theory.__all__), "## atcav.captum\n",
                fenced(doc(atcav.captum)), part(atcav.captum, atcav.captum.__all__)]
    return "\n".join(sections).rstrip() + "\n"


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "docs/python-api.md"
    pathlib.Path(target).write_text(page(), encoding="utf-8")

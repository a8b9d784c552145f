"""make_fields.py SCHEMA OUT: the fields of Result as dataclasses, from the schema of results.json, so that both agree."""
import json
import keyword
import pathlib
import sys

SCHEMA = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
SIMPLE = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
HEAD = '''"""The parts of results.json; made by make_fields.py."""
import dataclasses
import typing

from ._record import Record
'''
classes = []


def resolved(schema) -> dict:
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def type_of(schema, name: str) -> str:
    schema = resolved(schema)
    kinds = schema.get("type", [])
    if isinstance(kinds, list) and "null" in kinds:
        return f"typing.Optional[{type_of({**schema, 'type': kinds[0]}, name)}]"
    if "enum" in schema:
        return f"typing.Literal[{', '.join(map(repr, schema['enum']))}]"
    if "const" in schema:
        return type(schema["const"]).__name__
    if "anyOf" in schema or "oneOf" in schema:
        parts = [type_of(part, name) for part in schema.get("anyOf") or schema["oneOf"]]
        return f"typing.Union[{', '.join(parts)}]"
    if kinds == "array":
        return f"typing.List[{type_of(schema['items'], name)}]"
    if kinds == "object" and schema.get("properties"):
        return make_class(schema, name)
    if kinds == "object":
        # By key: as in results.json, a plain dict.
        part = resolved(schema["additionalProperties"])
        inner = "typing.Dict[str, typing.Any]" if part.get("type") == "object" else type_of(part, name)
        return f"typing.Dict[str, {inner}]"
    return SIMPLE[kinds]


def make_class(schema, name: str) -> str:
    fields, parts = [], {}
    for key, part in schema["properties"].items():
        field = key + "_" if keyword.iskeyword(key) else key
        kind = type_of(part, name + "".join(word.title() for word in key.split("_")))
        own = kind[len("typing.Optional["):-1] if kind.startswith("typing.Optional[") else kind
        is_part = own.startswith(name)
        required = key in schema.get("required", ())
        parts[field] = f"({key!r}, {own if is_part else None})"
        hidden = "repr=False" if is_part else ""
        default = "" if required else "default=None"
        end = f" = dataclasses.field({', '.join(filter(None, (default, hidden)))})" if default or hidden else ""
        if not required and not kind.startswith("typing.Optional"):
            kind = f"typing.Optional[{kind}]"
        fields.append((not required, f"    {field}: {kind}{end}"))
    keys = ", ".join(f"{field!r}: {part}" for field, part in parts.items())
    lines = [text for _, text in sorted(fields, key=lambda one: one[0])]  # those with defaults last
    classes.append("\n".join(["@dataclasses.dataclass(eq=False)", f"class {name}(Record):",
                              '    """See docs/results.md."""', f"    _keys: typing.ClassVar[dict] = {{{keys}}}", *lines]))
    return name


make_class(SCHEMA["$defs"]["result"], "Fields")
out = pathlib.Path(sys.argv[2])
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text("\n\n\n".join([HEAD.rstrip(), *classes]) + "\n", encoding="utf-8")

"""make_fields.py SCHEMA OUT: the fields of Result and Candidate as dataclasses, from the schema of results.json, so that both
agree."""
import json
import keyword
import pathlib
import re
import sys

SCHEMA = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
SIMPLE = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
HEAD = '''"""The parts of results.json; made by make_fields.py."""
import dataclasses
import typing

from ._record import Keys, Record
'''
classes = []


def resolved(schema) -> dict:
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def type_of(schema, name: str) -> tuple:
    """(type, what Record makes of the value: None for itself, a class, [class], {str: class})."""
    schema = resolved(schema)
    kinds = schema.get("type", [])
    if isinstance(kinds, list) and "null" in kinds:
        inner, made = type_of({**schema, "type": kinds[0]}, name)
        return f"typing.Optional[{inner}]", made
    if "enum" in schema:
        return f"typing.Literal[{', '.join(map(repr, schema['enum']))}]", None
    if "const" in schema:
        return type(schema["const"]).__name__, None
    if "anyOf" in schema or "oneOf" in schema:
        parts = [type_of(part, name)[0] for part in schema.get("anyOf") or schema["oneOf"]]
        return f"typing.Union[{', '.join(parts)}]", None
    if kinds == "array":
        inner, made = type_of(schema["items"], name)
        return f"typing.List[{inner}]", made and f"[{made}]"
    if kinds == "object" and schema.get("properties"):
        return (make_class(schema, name),) * 2
    if kinds == "object":
        inner, made = type_of(schema["additionalProperties"], name)
        return f"typing.Dict[str, {inner}]", made and f"{{str: {made}}}"
    return SIMPLE[kinds], None


def make_class(schema, name: str) -> str:
    fields, keys = [], []
    for key, part in schema["properties"].items():
        field = key + "_" if keyword.iskeyword(key) else key
        # Parts are named by their place: Effect, EffectError; Fields itself is no prefix, CandidateFields is Candidate.
        kind, made = type_of(part, re.sub("Fields$", "", name) + "".join(word.title() for word in key.split("_")))
        keys.append(f"{field!r}: ({key!r}, {made})")
        required = key in schema.get("required", ())
        given = list(filter(None, ("" if required else "default=None", made and "repr=False")))
        if not required and not kind.startswith("typing.Optional"):
            kind = f"typing.Optional[{kind}]"
        end = f" = dataclasses.field({', '.join(given)})" if given else ""
        fields.append((not required, f"    {field}: {kind}{end}"))
    lines = [text for _, text in sorted(fields, key=lambda one: one[0])]  # those with defaults last
    if all(name != one for one, _ in classes):
        classes.append((name, "\n".join(["@dataclasses.dataclass(eq=False)", f"class {name}(Record):",
                                         '    """See docs/results.md."""',
                                         f"    _keys: typing.ClassVar[Keys] = {{{', '.join(keys)}}}", *lines])))
    return name


make_class(SCHEMA["$defs"]["result"], "Fields")
of_discovery = SCHEMA["$defs"]["discovery"]["properties"]
candidate = resolved(of_discovery["candidates"]["items"])
# Its result is a Result (python/atcav/_discover.py).
make_class({**candidate, "properties": {key: part for key, part in candidate["properties"].items() if key != "result"}},
           "CandidateFields")
make_class(of_discovery["families"]["items"], "Family")
out = pathlib.Path(sys.argv[2])
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text("\n\n\n".join([HEAD.rstrip(), *(text for _, text in classes)]) + "\n", encoding="utf-8")

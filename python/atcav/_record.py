"""What the classes that make_fields.py writes are made of."""
import keyword
import typing

# attribute: (key, what a value is made into: None for itself, a class, [class] or {str: class})
Keys = typing.Dict[str, typing.Tuple[str, object]]


class Record:
    """A part of results.json with its keys as attributes; `to_dict` gives it back."""

    _keys: typing.ClassVar[Keys] = {}
    _values: typing.Dict[str, object]

    @classmethod
    def _from(cls, values):
        known = {key for key, _ in cls._keys.values()}
        record = cls(**{name: _made(kind, values.get(key)) for name, (key, kind) in cls._keys.items()})
        for key in values.keys() - known:  # newer than the schema
            setattr(record, key + "_" if keyword.iskeyword(key) else key, values[key])
        record._values = values
        return record

    def to_dict(self) -> typing.Dict[str, object]:
        """As in results.json."""
        return self._values

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def __eq__(self, other: object) -> bool:
        return self._values == (other._values if isinstance(other, Record) else other)

    __hash__ = None  # type: ignore[assignment]

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(repr(self))


def _made(kind, value):
    if kind is None or value is None:
        return value
    if isinstance(kind, list):
        return [_made(kind[0], one) for one in value]
    if isinstance(kind, dict):
        return {name: _made(kind[str], one) for name, one in value.items()}
    return kind._from(value)

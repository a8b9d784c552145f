"""What the classes that make_fields.py writes are made of."""
import keyword
import typing


class Record:
    """A part of results.json with its keys as attributes; `to_dict` gives it back."""

    _keys: typing.ClassVar[dict] = {}  # attribute: (key, class of the part or None)

    @classmethod
    def _from(cls, values: dict):
        known = {key for key, _ in cls._keys.values()}
        record = cls(**{name: None if key not in values else
                        kind._from(values[key]) if kind and isinstance(values[key], dict) else values[key]
                        for name, (key, kind) in cls._keys.items()})
        for key in values.keys() - known:  # newer than the schema
            setattr(record, key + "_" if keyword.iskeyword(key) else key, values[key])
        record._values = values
        return record

    def to_dict(self) -> dict:
        """As in results.json."""
        return self._values

    def __getitem__(self, key: str):
        return self._values[key]

    def _repr_pretty_(self, printer, cycle):
        printer.text(repr(self))

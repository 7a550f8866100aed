"""The instance types of a WebNLG test set: which entries show what training data never showed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from adequa.codec import load_object
from adequa.errors import DataError
from adequa.readers.base import open_bytes

__all__ = ["InstanceTypes", "find_instance_types", "read_instance_types"]

InstanceTypes: TypeAlias = Mapping[str, Mapping[str, object]]
"""From the id of an entry to what `meta` says of it."""

_MARK = "instance-types"
_MEANINGS: InstanceTypes = {
    "type1": {"seen": True, "instance_type": "seen"},
    "type2": {"seen": False, "instance_type": "unseen_entities"},
    "type3": {"seen": False, "instance_type": "unseen_categories"},
}
_REMEDY = 'write one object: {"Id1": "type1", "Id2": "type3", …}'


def find_instance_types(file: Path) -> Path | None:
    """The `*instance-types*.json` beside a file; of several the one named like the file."""
    found = sorted(file.parent.glob(f"*{_MARK}*.json"))
    if len(found) < 2:
        return found[0] if found else None
    heads = {path: path.name.partition(_MARK)[0] for path in found}
    fitting = [path for path in found if file.name.startswith(heads[path])]
    if not fitting:
        raise DataError(
            f"has {len(found)} files of instance types beside it, none named like it",
            path=file,
            remedy="say which one: instance_types=FILE",
        )
    return max(fitting, key=lambda path: len(heads[path]))


def read_instance_types(path: Path) -> InstanceTypes:
    """Read and check the whole file: it has a short line an entry."""
    try:
        with open_bytes(path) as stream:
            raw = load_object(stream.read().decode())
    except UnicodeDecodeError:
        raise DataError("is not UTF-8", path=path, remedy="convert it to UTF-8") from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None
    except DataError as error:
        raise error if error.path else DataError(error.problem, path=path, remedy=_REMEDY) from None
    if type(raw) is not dict:
        raise DataError("is not a JSON object", path=path, remedy=_REMEDY)
    for name, value in raw.items():
        if type(value) is not str or value not in _MEANINGS:
            raise DataError(
                f"the instance type of {name!r} is not type1, type2 or type3",
                path=path,
                remedy=_REMEDY,
            )
    return {name: _MEANINGS[value] for name, value in raw.items()}

"""The record and the text in a line of a log: inputs with outputs, and chats with a model.

A line is recognised by its keys: `record` with `text`, `input` with `output`, `prompt` with
`completion`, `context` with `response`, `data` with any of these texts, or a list of messages with
roles, in which the last answer is the text and the JSON in a question is the record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from adequa.errors import DataError
from adequa.readers.mapping import find

RECORDS = ("record", "input", "data", "context", "prompt", "source", "question")
"""The keys of the record of a log, best first."""
TEXTS = (
    *("text", "output", "completion", "response", "answer", "generated_text", "generation"),
    *("generated", "prediction", "hypothesis", "target", "summary", "caption", "verbalisation"),
    *("verbalization", "sentence"),
)
"""The keys of a text, best first."""
CHATS = ("messages", "conversations", "conversation", "chat")
_REPLIES = ("response", "choices", "completion", "output")
_ASSISTANTS = frozenset({"assistant", "gpt", "model", "bot", "ai", "chatbot"})
_PURE_RECORDS = ("record",)
_NAMED = ("name", "title", "label")


class LogLine(NamedTuple):
    """A record, its text if there is one, and the keys of the line that they were found under."""

    record: Any
    text: str | None
    used: frozenset[str]


def read_log(
    line: Mapping[str, Any],
    *,
    record: str | None,
    text: str | None,
    decode: Callable[[str, int], tuple[Any, int]],
) -> LogLine | None:
    """The record and the text of a line; None if the line itself is the record.

    `record` and `text` are the columns that the user named; `decode` is the `raw_decode` of a JSON
    decoder.
    """
    if record is None:
        for name in CHATS:
            key = find(name, line)
            if key is not None and _is_chat(line[key]):
                return _read_chat(line, key, decode)
    key = _record_key(line, record, text)
    if key is None:
        return None
    text_key = _text_key(line, text, key)
    said = None if text_key is None else _text_of(line[text_key])
    found = _record_of(line[key], decode)
    if found is None:
        if record is None and key.casefold() not in _PURE_RECORDS:
            return None
        problem = f"{key!r} has no JSON object, no list and no triples"
        raise DataError(problem, remedy=f'write the data as JSON: {{"{key}": {{…}}}}')
    used = {key} if text_key is None else {key, text_key}
    return LogLine(found, said, frozenset(used))


def _record_key(line: Mapping[str, Any], told: str | None, text: str | None) -> str | None:
    if told is not None:
        key = find(told, line)
        if key is None:
            raise DataError(f"has no {told!r} for its record", remedy="fill it")
        return key
    for name in RECORDS:
        key = find(name, line)
        if key is None or line[key] in (None, ""):
            continue
        if name in _PURE_RECORDS:
            return key if isinstance(line[key], Mapping | list | str) else None
        if any(find(other, line) for other in _NAMED):
            return None  # the line is a record that has a field of this name
        if _text_key(line, text, key) is not None and _holds_data(line[key]):
            return key
    return None


def _holds_data(value: Any) -> bool:
    if isinstance(value, str):
        return any(sign in value for sign in "{[|")
    return isinstance(value, Mapping | list)


def _text_key(line: Mapping[str, Any], told: str | None, record: str) -> str | None:
    for name in (told,) if told else TEXTS:
        key = find(name, line)
        if key is not None and key != record and _text_of(line[key]) is not None:
            return key
    return None


def _text_of(value: Any) -> str | None:
    """A text, or the last answer in what a model returned."""
    if isinstance(value, str):
        return value
    if _is_chat(value):
        answers = [_content(one) for one in value if _role(one) in _ASSISTANTS]
        return answers[-1] if answers else None
    if isinstance(value, Mapping):
        if isinstance(value.get("choices"), list) and value["choices"]:
            return _text_of(value["choices"])
        if isinstance(value.get("message"), Mapping):
            return _content(value["message"])
        for name in ("text", "content", "output_text", "generated_text"):
            if isinstance(value.get(name), str):
                return str(value[name])
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return _text_of(value[0])
    return None


def _is_chat(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, Mapping) and _role(one) is not None for one in value)
    )


def _role(message: Mapping[str, Any]) -> str | None:
    role = message.get("role", message.get("from"))
    has_content = "content" in message or "value" in message
    return role.casefold() if isinstance(role, str) and has_content else None


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content", message.get("value"))
    if isinstance(content, list):  # parts, of which only those of text count
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _read_chat(
    line: Mapping[str, Any], key: str, decode: Callable[[str, int], tuple[Any, int]]
) -> LogLine:
    messages = list(line[key])
    used = {key}
    said: str | None = None
    for name in _REPLIES:
        reply = find(name, line)
        if reply is not None and reply != key and (said := _text_of(line[reply])) is not None:
            used.add(reply)
            break
    if said is None and _role(messages[-1]) in _ASSISTANTS:
        said = _content(messages.pop())
    for message in reversed(messages):
        if _role(message) not in _ASSISTANTS:
            found = _record_of(_content(message), decode)
            if found is not None:
                return LogLine(found, said, frozenset(used))
    problem = f"{key!r} has no JSON and no triples in what the model was asked"
    raise DataError(problem, remedy="is the data in another field? name it: records:record=COLUMN")


def _record_of(value: Any, decode: Callable[[str, int], tuple[Any, int]]) -> Any:
    """The record in a value: itself, the JSON in a string, or the triples that a string writes."""
    if isinstance(value, Mapping):
        return value if value else None
    if _is_chat(value):
        for message in reversed(value):
            found = _record_of(_content(message), decode)
            if found is not None:
                return found
        return None
    if isinstance(value, list):
        return value if value else None
    if not isinstance(value, str):
        return None
    found = max(_json_in(value, decode), key=lambda one: one[1], default=None)
    if found is not None:
        return found[0]
    return _triples_in(value)


def _json_in(text: str, decode: Callable[[str, int], tuple[Any, int]]) -> Iterator[tuple[Any, int]]:
    """The JSON objects and lists of objects in a text, with their lengths."""
    position = 0
    while True:
        starts = [place for sign in "{[" if (place := text.find(sign, position)) >= 0]
        if not starts:
            return
        start = min(starts)
        try:
            value, end = decode(text, start)
        except (json.JSONDecodeError, RecursionError, ValueError, DataError):
            position = start + 1
            continue
        if value and (isinstance(value, Mapping) or _is_data_list(value)):
            yield value, end - start
        position = end


def _is_data_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, Mapping | list) for one in value)


def _triples_in(text: str) -> Sequence[Sequence[str]] | None:
    """The triples of a linearised string, as lists; None if it has none."""
    from adequa.text.linearised import parse_triples

    try:
        return [list(triple) for triple in parse_triples(text)]
    except DataError:
        return None

"""Which format a path has, from its name and its first bytes. Standard library only."""

from __future__ import annotations

import json
import re
from pathlib import Path

from adequa.errors import DataError
from adequa.readers.base import open_bytes

__all__ = ["SUFFIXES", "files_of", "recognise"]

_HEAD_BYTES = 64 * 1024

SUFFIXES = {
    ".csv": "csv",
    ".json": "records",
    ".jsonl": "jsonl",
    ".jsonld": "rdf",
    ".n3": "rdf",
    ".ndjson": "jsonl",
    ".nq": "rdf",
    ".nt": "rdf",
    ".owl": "rdf",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".rdf": "rdf",
    ".trig": "rdf",
    ".tsv": "tsv",
    ".ttl": "rdf",
    ".txt": "lines",
    ".xml": "webnlg",
}
"""The first guess; CSV, TSV, JSON and XML are then looked into."""

_KEYS = {
    frozenset(("triples", "gen_sentence")): "kelm",
    frozenset(("triples", "sentence")): "tekgen",
    frozenset(("docid", "sentences_boundaries")): "trex",
    frozenset(("_id", "title", "text")): "passages",
}
"""Corpora whose JSON lines have keys of their own."""

_REMEDY = "name the format: --format NAME"


def recognise(path: Path) -> str:
    """The name of the reader for `path`; a DataError says why where there is none."""
    if not path.exists():
        raise DataError("does not exist", path=path, remedy="check the spelling of the path")
    if path.is_dir():
        return _recognise_folder(path)
    name = SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise DataError(
            f"has an ending ({path.suffix or 'none'}) that says no format",
            path=path,
            remedy=_REMEDY,
        )
    if name == "parquet":
        return name
    with open_bytes(path) as stream:
        head = stream.read(_HEAD_BYTES).decode("utf-8", errors="replace")
    if name == "webnlg":
        return _recognise_xml(path, head)
    if name in ("csv", "tsv"):
        return _recognise_table(head, name)
    if name == "jsonl":
        return _recognise_json_lines(head)
    if name == "records" and '"sentences_boundaries"' in head and '"docid"' in head:
        return "trex"
    return name


def _recognise_folder(path: Path) -> str:
    files = [file for file in sorted(path.rglob("*")) if file.suffix.lower() in SUFFIXES]
    by_suffix: dict[str, Path] = {}
    for file in files:
        by_suffix.setdefault(file.suffix.lower(), file)
    if ".xml" in by_suffix:
        return recognise(by_suffix[".xml"])
    formats = {recognise(file) for file in by_suffix.values()}
    if len(formats) == 1:
        return formats.pop()
    found = (
        f"files of several formats ({', '.join(sorted(formats))})" if formats else "no such file"
    )
    raise DataError(
        f"is a folder with {found}; wanted are files of one format",
        path=path,
        remedy="name a file, or a folder of WebNLG files (<n>triples/<Category>.xml)",
    )


def files_of(folder: Path, name: str) -> list[Path]:
    """The files of a folder that have the format, sorted by name."""
    files = [file for file in sorted(folder.rglob("*")) if file.suffix.lower() in SUFFIXES]
    chosen = [file for file in files if file.is_file() and recognise(file) == name]
    if not chosen:
        raise DataError(f"is a folder without {name} files", path=folder, remedy="name a file")
    return chosen


def _recognise_xml(path: Path, head: str) -> str:
    if "<rdf:RDF" in head or "http://www.w3.org/1999/02/22-rdf-syntax-ns#" in head:
        return "rdf"
    if "<benchmark" not in head:
        raise DataError("is XML, but neither WebNLG nor RDF/XML", path=path, remedy=_REMEDY)
    return (
        "enriched" if re.search(r"<(references|template|sortedtripleset)[\s>/]", head) else "webnlg"
    )


def _recognise_table(head: str, name: str) -> str:
    separator = "," if name == "csv" else "\t"
    first = head.split("\n", 1)[0].strip("\r")
    if name == "tsv" and first.startswith("{") and '"triples"' in first:
        return _recognise_json_lines(head)  # as TeKGen's files are named
    columns = [column.strip().strip('"').casefold() for column in first.split(separator)]
    if columns[:2] in (["mr", "ref"], ["mr", "output"]):
        return "e2e"
    if name == "tsv" and sorted(columns) == ["id", "text", "title"]:
        return "passages"
    return name if {"id", "triples"} <= set(columns) else "records"


def _recognise_json_lines(head: str) -> str:
    first = next((line for line in head.splitlines() if line.strip()), "")
    try:
        keys = json.loads(first)
    except (ValueError, RecursionError):
        return "jsonl"  # whose reader will say what is wrong, and where
    if not isinstance(keys, dict):
        return "jsonl"
    for mark, name in _KEYS.items():
        if mark <= keys.keys() and "id" not in keys:
            return name
    return "jsonl" if "triples" in keys else "records"

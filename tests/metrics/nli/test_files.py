"""Files of templates."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.errors import DataError, UnknownName
from adequa.metrics.nli.templates import Templates, read_templates, shipped, write_templates

IN = "<subject> is in <object>."


def written(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_json_says_the_same_as_tsv(tmp_path: Path) -> None:
    value = {"area": IN, "open": {"yes": "<subject> is open.", "*": "<subject> is open: <object>."}}
    rows = (
        f"predicate\tvalue\ttemplate\narea\t\t{IN}\n\nopen\tyes\t<subject> is open.\r\n"
        "open\t*\t<subject> is open: <object>.\n"
    )
    table = read_templates(written(tmp_path, "a.tsv", rows))
    assert table == read_templates(str(written(tmp_path, "a.json", json.dumps(value))))
    assert table.digest == Templates.of(value).digest  # type: ignore[arg-type]
    assert len(table) == 3


def test_shipped_names_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "e2e" in shipped()
    assert len(read_templates("e2e")) > 8
    with pytest.raises(UnknownName, match="did you mean 'e2e'"):
        read_templates("e2f")
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "e2e", "")
    with pytest.raises(DataError, match="says no form of templates"):
        read_templates("./e2e")
    with pytest.raises(DataError, match="cannot be opened"):
        read_templates("absent.json")


@pytest.mark.parametrize(
    ("name", "text", "place", "said"),
    [
        ("a.json", f'{{"area": "{IN}",\n"near" "{IN}"}}', ":2:", "is not JSON"),
        ("a.json", f'{{"area": "{IN}",\n"area": "{IN}"}}', ":2:", "names 'area' twice"),
        ("a.json", f'{{"aB": "{IN}",\n"a_b": "{IN}"}}', ":2:", "a second template of 'a_b'"),
        ("a.json", f'{{"area": "{IN}",\n"near": 3}}', ":2:", "what 'near' has is a number"),
        ("a.json", '{"near":\n{"yes": null}}', ":2:", "of 'near' for 'yes' is null"),
        ("a.json", '{"near":\n{}}', ":1:", "what 'near' has is empty"),
        ("a.json", '{"near":\n{"yes": "<subject>", "no": "x"}}', ":2:", "needs <subject> once"),
        ("a.json", '{"near": NaN}', "", "NaN is not a JSON number"),
        ("a.json", "[]", ":1:", "is a list, not an object"),
        ("a.json", "{}", "", "holds no templates"),
        ("a.json", "", ":1:", "is not JSON"),
        ("a.json", "[" * 100_000, "", "is nested too deeply"),
        ("a.json", '{"near": "\\ud800 <subject> <object>"}', "", "surrogate"),
        ("a.json", b'{"near": "\xe4"}', ":1:", "is not UTF-8"),
        ("a.json", b'\xff\xfe{"near"', ":1:", "is UTF-16"),
        ("a.json", b"PK\x03\x04", "", "is compressed"),
        ("a.tsv", "area\tx\n", ":1:", "has no column 'predicate'"),
        ("a.tsv", "predicate\tsentence\n", ":1:", "has no column 'template'"),
        ("a.tsv", "predicate\ttemplate\tvalues\n", ":1:", "has a column 'values'"),
        ("a.tsv", "predicate\ttemplate\n", "", "holds no templates"),
        ("a.tsv", f"predicate\ttemplate\narea\t{IN}\nnear\n", ":3:", "has 1 cell for 2 columns"),
        ("a.tsv", f"predicate\ttemplate\n\t{IN}\n", ":2:", "has an empty predicate"),
        ("a.tsv", f"predicate\ttemplate\na\t{IN}\nA\t{IN}\n", ":3:", "a second template of 'A'"),
        ("a.tsv", "predicate\ttemplate\na\t<subject>, <subject>\n", ":2:", "<subject> once"),
        ("a.csv", "", "", "has an ending (.csv) that says no form of templates"),
    ],
)
def test_wrong_files(tmp_path: Path, name: str, text: str | bytes, place: str, said: str) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(DataError) as caught:
        read_templates(path)
    message = str(caught.value)
    assert message.startswith(f"{path}{place}")
    assert said in message
    assert caught.value.remedy


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adequa.metrics.nli.templates.MAX_LINE_BYTES", 100)
    lines = "\n".join(f'"p{number}": "{IN}",' for number in range(9))
    path = written(tmp_path, "a.json", f'{{{lines}\n"q": "{IN}"}}')
    with pytest.raises(DataError, match=r"a\.json:\d: is larger than"):
        read_templates(path)


def test_a_written_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_templates(Templates.of({"area": IN}), path)
    with pytest.raises(DataError, match="is there already"):
        write_templates(Templates.of({"near": IN}), path)
    write_templates(Templates.of({"near": IN}), path, force=True)
    assert list(read_templates(path).names.values()) == ["near"]
    with pytest.raises(UnknownName, match="file ending"):
        write_templates(Templates(), tmp_path / "a.docx")
    with pytest.raises(DataError, match="cannot be written"):
        write_templates(Templates(), tmp_path / "absent" / "a.json")
    with pytest.raises(DataError, match="surrogate"):
        write_templates(Templates.of({"near": IN + "\ud800"}), tmp_path / "b.tsv")
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


words = st.text(st.characters(codec="utf-8", categories=("L", "N", "Zs")), min_size=1, max_size=9)
values = st.dictionaries(words.filter(str.strip), st.just(IN) | words.map("<subject> {}".format))
general = st.builds("<subject> {} <object>.".format, words)


@settings(max_examples=30)  # files are written
@given(
    st.dictionaries(words.filter(str.strip), st.builds(lambda v, g: {**v, "*": g}, values, general))
)
def test_templates_survive_both_forms(templates: dict[str, dict[str, str]]) -> None:
    try:
        known = Templates.of(templates)
    except DataError:  # two spellings of one name
        return
    if not known.entries:
        return
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("json", "tsv"):
            path = Path(folder) / f"a.{ending}"
            write_templates(known, path)
            again = read_templates(path)
            assert again == known
            assert again.digest == known.digest

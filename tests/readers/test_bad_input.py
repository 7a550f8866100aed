"""Malformed and hostile input through the command line: one line, file, place, remedy, exit code 2.

Each case is a file a user could really have. The figure to reach is sixty distinct ones.
"""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from adequa.cli import main

ITEM = '{"id": "1", "triples": [["s", "p", "o"]], "text": "t"}'
ENTRY = (
    '<entry category="C" eid="Id1" size="1"><modifiedtripleset><mtriple>a | b | c</mtriple>'
    '</modifiedtripleset><lex comment="" lid="Id1">text</lex></entry>'
)
RDF_NAMESPACE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
LEVELS = "".join(f'<!ENTITY e{level + 1} "{f"&e{level};" * 10}">' for level in range(9))
BOMB = f'<!DOCTYPE b [<!ENTITY e0 "aaaaaaaaaa">{LEVELS}]>'
EXTERNAL = '<!DOCTYPE b [<!ENTITY e9 SYSTEM "file:///etc/hostname">]>'
LEX = '<lex comment="" lid="Id1">text</lex>'
E2E_HEADER = "MR\toutput\tadded\tmissing\tvalerr\trepeated"
LONG = 70 * 1024 * 1024


def webnlg(entries: str) -> str:
    return f"<benchmark><entries>{entries}</entries></benchmark>"


class Case(NamedTuple):
    name: str
    """Of the file; the first part is what the case is called."""
    content: str | bytes
    says: str
    line: int | None = None
    texts: str | None = None
    format: str | None = None


CASES = [
    # JSON lines
    Case("truncated.jsonl", ITEM + "\n" + ITEM[:20], "is not JSON", 2),
    Case("not-an-object.jsonl", f"{ITEM}\n[1, 2]", "is a list, not an object", 2),
    Case("no-text.jsonl", '{"id": "1", "triples": [["s", "p", "o"]]}', "has no 'text'", 1),
    Case("null-id.jsonl", '{"id": null, "triples": [["s", "p", "o"]], "text": ""}', "'id' is", 1),
    Case("empty-id.jsonl", ITEM.replace('"1"', '""'), "'id' is", 1),
    Case("empty-triples.jsonl", ITEM.replace('[["s", "p", "o"]]', "[]"), "'triples' is empty", 1),
    Case("two-parts.jsonl", ITEM.replace('"o"', '"o", "x"'), "triple 1 is not", 1),
    Case("number-in-triple.jsonl", ITEM.replace('"o"', "3"), "not a string", 1),
    Case("empty-object.jsonl", ITEM.replace('"o"', '""'), "has an empty part", 1),
    Case("nan.jsonl", ITEM[:-1] + ', "meta": {"x": NaN}}', "NaN is not a JSON number", 1),
    Case("infinity.jsonl", ITEM[:-1] + ', "meta": {"x": -Infinity}}', "-Infinity", 1),
    Case("huge-number.jsonl", ITEM[:-1] + ', "x": ' + "9" * 9000 + "}", "number that cannot", 1),
    Case("surrogate.jsonl", ITEM.replace('"t"', r'"\udc00"'), "surrogate", 1),
    Case("latin1.jsonl", ITEM.replace('"t"', '"é"').encode("latin-1"), "is not UTF-8", 1),
    Case("utf16.jsonl", ITEM.encode("utf-16"), "is UTF-16, not UTF-8", 1),
    Case("utf32.jsonl", ITEM.encode("utf-32"), "is UTF-32, not UTF-8", 1),
    Case("inner-bom.jsonl", f"{ITEM}\n\ufeff{ITEM}", "byte order mark", 2),
    Case("nul.jsonl", ITEM.replace('"t"', '"\0"'), "NUL", 1),
    Case("deep.jsonl", ITEM[:-1] + ', "x": ' + "[" * 99999 + "]" * 99999 + "}", "nested", 1),
    Case("long-line.jsonl", "x" * LONG, "is longer than", 1),
    Case("duplicate.jsonl", f"{ITEM}\n{ITEM}", "the id '1' was used before", 2),
    Case("references.jsonl", ITEM[:-1] + ', "references": "one"}', "'references' is not a list", 1),
    Case("transposed.jsonl", ITEM[:-1] + ', "references": [["a"]]}', "'references' is not", 1),
    Case("bad-term.jsonl", ITEM[:-1] + ', "terms": {"s": {"name": "x"}}}', "the term 's'", 1),
    Case("linearised.jsonl", ITEM.replace('[["s", "p", "o"]]', '"s, p, o"'), "", 1),
    Case("empty.jsonl", "", "holds no items"),
    Case("gzipped.jsonl", gzip.compress(ITEM.encode()), "is compressed (gzip)"),
    # Tables
    Case("no-column.csv", "id,triples\n1,a | b | c\n", "text"),
    Case("double-column.csv", "id,triples,text,text\n1,a | b | c,t,u\n", "text"),
    Case("few-cells.csv", "id,triples,text\n1,a | b | c\n", "", 2),
    Case("many-cells.csv", "id,triples,text\n1,a | b | c,t\n2,a | b | c,t,u\n", "", 3),
    Case("open-quote.csv", 'id,triples,text\n1,a | b | c,"t\n', "", 2),
    Case("bad-triples.csv", "id,triples,text\n1,nonsense,t\n", "", 2),
    Case("bad-list.csv", 'id,triples,text\n1,"[[""a"", ""b""]]",t\n', "", 2),
    Case("header-only.csv", "id,triples,text\n", "holds no items"),
    Case("twice.csv", "id,triples,text\n1,a | b | c,t\n1,a | b | c,u\n", "was used before", 3),
    Case("nul.csv", "id,triples,text\n1,a | b | c,\0\n", "NUL", 2),
    Case("windows.csv", "id,triples,text\n1,a | b | c,caf\xe9\n".encode("cp1252"), "UTF-8", 2),
    Case("few-cells.tsv", "id\ttriples\ttext\n1\ta | b | c\n", "", 2),
    Case("not-parquet.parquet", "no magic here", ""),
    Case("cut.parquet", b"PAR1" + b"\0" * 40, ""),
    # E2E
    Case("unbalanced.csv", 'mr,ref\n"name[A], food[B",t\n', "", 2),
    Case("no-attributes.csv", "mr,ref\nA restaurant,t\n", "", 2),
    Case("counts.tsv", f"{E2E_HEADER}\nname[A], x[b]\tt\tone\t0\t0\t0\n", "", 2),
    # Records
    Case("broken.json", '[{"name": "A", "area": }]', ""),
    Case("scalar.json", "3", ""),
    Case("no-key.json", '[{"area": {"x": 1}}]', ""),
    # Linearised graphs and line-aligned texts
    Case("graphs.txt", "a | b | c\na, b, c\n", "", 2, "one\ntwo\n"),
    Case("needs-texts.txt", "a | b | c\n", "--texts"),
    Case("few-texts.txt", "a | b | c\na | b | d\n", "1 line too few", 2, "one\n"),
    Case("many-texts.txt", "a | b | c\n", "1 line too many", 2, "one\ntwo\n"),
    # WebNLG
    Case("truncated.xml", webnlg(ENTRY)[:-30], "", 1),
    Case("bomb.xml", BOMB + webnlg(ENTRY.replace("text", "&e9;")), ""),
    Case("external.xml", EXTERNAL + webnlg(ENTRY.replace("text", "&e9;")), ""),
    Case("other-root.xml", "<html><body/></html>", "neither WebNLG nor RDF/XML"),
    Case("other-root-named.xml", "<html><body/></html>", "", None, None, "webnlg"),
    Case("no-eid.xml", webnlg(ENTRY.replace('eid="Id1" ', "")), "eid", 1),
    Case("no-lid.xml", webnlg(ENTRY.replace(' lid="Id1"', "")), "lid", 1),
    Case("no-triples.xml", webnlg(ENTRY.replace("<mtriple>a | b | c</mtriple>", "")), "", 1),
    Case("two-bars.xml", webnlg(ENTRY.replace("a | b | c", "a | b")), "", 1),
    Case("no-lex.xml", webnlg(ENTRY.replace(LEX, "")), "--texts", 1),
    Case("twice.xml", webnlg(f"{ENTRY}\n{ENTRY}"), "was used before", 2),
    Case("latin1.xml", webnlg(ENTRY.replace("text", "é")).encode("latin-1"), ""),
    Case("nul.xml", webnlg(ENTRY.replace("text", "\0")), "", 1),
    Case("empty.xml", "", ""),
    Case("no-entries.xml", webnlg(""), "has no <entry>"),
    # RDF
    Case("broken.ttl", "@prefix e: <http://e/> .\ne:a e:b .\n", "", 2),
    Case("broken.nt", '<http://e/a> <http://e/b> "c" .\n<http://e/a> <http://e/b> c .\n', "", 2),
    Case("literal-subject.nt", '"a" <http://e/b> "c" .\n', "", 1),
    Case("latin1.ttl", '<http://e/a> <http://e/b> "é" .'.encode("latin-1"), ""),
    Case("bomb.rdf", f'{BOMB}<rdf:RDF xmlns:rdf="{RDF_NAMESPACE}">&e9;</rdf:RDF>', ""),
    Case("external.rdf", f'{EXTERNAL}<rdf:RDF xmlns:rdf="{RDF_NAMESPACE}">&e9;</rdf:RDF>', ""),
    Case("remote.jsonld", '{"@context": "http://example.org/context", "name": "A"}', ""),
    Case("empty.ttl", "", "holds no items"),
    Case("unknown-prefix.trig", "e:g { e:a e:b e:c }", "", 1),
    # Big corpora
    Case("no-triples-kelm.jsonl", '{"triples": [], "gen_sentence": "x"}', "incomplete=skip", 1),
    Case("old-tekgen.tsv", "a b c\tA text.", "the release of 2021", 1, None, "tekgen"),
    Case("cut-trex.json", '[{"docid": "Q1",\n"sentences_boundaries": [', "cut off", 2),
    Case("no-text-trex.json", '[{"docid": "Q1", "sentences_boundaries": []}]', "has no 'text'", 1),
    Case("no-title.tsv", "id\ttext\n1\tx\n", "has no 'title'", 2, None, "passages"),
    # Neither
    Case("report.docx", b"PK\x03\x04", "of no known format"),
    Case("no-ending", "text", "of no known format"),
]  # fmt: skip


def run(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_there_are_sixty_cases() -> None:
    assert len(CASES) >= 60
    assert len({(case.name, case.content) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_input_is_one_line(
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    content = case.content.encode() if isinstance(case.content, str) else case.content
    Path(case.name).write_bytes(content)
    arguments = ["score", case.name, "-m", "chrf", "--out", "run"]
    if case.texts is not None:
        Path("outputs.txt").write_text(case.texts)
        arguments += ["--texts", "T=outputs.txt"]
    if case.format:
        arguments += ["--format", case.format]
    code = run(arguments, monkeypatch)
    output = capsys.readouterr()
    assert code == 2, output.err
    assert output.out == ""
    (line,) = output.err.splitlines()
    file = "outputs.txt" if case.texts is not None and "line too" in case.says else case.name
    place = f"{file}:" if case.line is None else f"{file}:{case.line}:"
    assert line.startswith(f"adequa: {place}"), line
    assert case.says in line
    assert len(line) < 400
    assert not Path("run").exists()


def test_a_folder_without_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(tmp_path), "-m", "chrf", "--out", "run"], monkeypatch) == 2
    assert "is a folder without files of a known format" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="rights work differently on Windows")
def test_a_file_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_text(ITEM)
    # Root may read everything, so the refusal is the operating system's only in name here.
    real = Path.open

    def refuse(file: Path, *arguments: Any, **options: Any) -> Any:
        if file == path:
            raise PermissionError(13, "Permission denied", str(file))
        return real(file, *arguments, **options)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "open", refuse)
    assert run(["score", str(path), "-m", "chrf", "--out", "run"], monkeypatch) == 2
    assert "Permission denied" in capsys.readouterr().err


def test_a_folder_named_like_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "items.jsonl").mkdir()
    assert (
        run(["score", str(tmp_path / "items.jsonl"), "-m", "chrf", "--out", "r"], monkeypatch) == 2
    )
    assert "is a folder" in capsys.readouterr().err

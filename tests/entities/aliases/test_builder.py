"""From dumps to a file of aliases, and back out of it."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adequa.entities.aliases.builder import BuildReport, build_aliases, read_entities
from adequa.entities.aliases.lookup import AliasStore, open_aliases
from adequa.errors import DataError, SettingError

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
ALT = "<http://www.w3.org/2004/02/skos/core#altLabel>"
NICK = "<http://xmlns.com/foaf/0.1/nick>"
REDIRECTS = "<http://dbpedia.org/ontology/wikiPageRedirects>"
ABOUT = "<http://schema.org/about>"
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"

Write = Callable[..., Path]


def dbpedia(name: str) -> str:
    return f"<http://dbpedia.org/resource/{name}>"


def wikidata(number: int) -> str:
    return f"<http://www.wikidata.org/entity/Q{number}>"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out" / "aliases.sqlite"


@pytest.fixture
def build(dump: Write, out: Path) -> Callable[..., tuple[AliasStore, BuildReport]]:
    out.parent.mkdir()

    def run(*lines: str, **options: Any) -> tuple[AliasStore, BuildReport]:
        report = build_aliases([dump("dump.nt", *lines)], out, **options)
        return AliasStore(out), report

    return run


def test_labels_redirects_and_aliases_of_several_packed_dumps(dump: Write, out: Path) -> None:
    out.parent.mkdir()
    labels = dump(
        "labels.ttl.bz2",
        f'{dbpedia("Kestrel_Bay_(town)")} {LABEL} "Kestrel Bay (town)"@en .',
        f'{dbpedia("Kestrel_Bay_(town)")} {LABEL} "Falkenbucht"@de .',
        f'{dbpedia("Caf%C3%A9_Noir")} {LABEL} "Caf\\u00E9 Noir"@en .',
        f'{dbpedia("Caf%C3%A9_Noir")} {NICK} "The \\"Noir\\""@en .',
    )
    redirects = dump(
        "redirects.nt.gz",
        "# a comment",
        f"{dbpedia('KB_(place)')} {REDIRECTS} {dbpedia('Kestrel')} .",
        f"{dbpedia('Kestrel')} {REDIRECTS} {dbpedia('Kestrel_Bay_(town)')} .",
        f"{dbpedia('List_of_bays')} {REDIRECTS} {dbpedia('Kestrel_Bay_(town)')} .",
    )
    more = dump("more.nq.xz", f'{dbpedia("Caf%C3%A9_Noir")} {ALT} "Noir" <http://x/g> .')
    seen: list[tuple[int, int]] = []
    report = build_aliases(
        [labels, redirects, more], out, progress=lambda done, total: seen.append((done, total))
    )
    aliases = open_aliases(out)
    assert aliases.of("Kestrel_Bay_(town)") == ("Kestrel", "KB")
    assert aliases.of("Kestrel") == ("KB",)
    assert aliases.of("KB (place)") == ("Kestrel", "KB")
    assert aliases.of("Café_Noir") == ("Noir", 'The "Noir"')
    assert aliases.of("cafe noir") == ()
    assert report.statements == 8
    assert (report.redirects, report.cycles, report.unusable) == (3, 0, 1)
    assert [source["name"] for source in report.sources] == [labels.name, redirects.name, more.name]
    total = sum(path.stat().st_size for path in (labels, redirects, more))
    assert seen[-1] == (total, total)
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_wikidata_is_found_by_number_label_page_and_link(build: Any) -> None:
    aliases, _ = build(
        f'{wikidata(90)} {LABEL} "Paris"@en .',
        f'{wikidata(90)} {ALT} "City of Light"@en .',
        f'{wikidata(90)} {ALT} "city of light"@en-gb .',
        f'{wikidata(90)} {ALT} "Lutetia"@fr .',
        f'{wikidata(830149)} {LABEL} "Paris"@en .',
        f'{wikidata(830149)} {ALT} "Paris, Texas"@en .',
        f"<https://en.wikipedia.org/wiki/Paris,_Texas> {ABOUT} {wikidata(830149)} .",
        f"{dbpedia('Ville_Lumi%C3%A8re')} {SAME} {wikidata(90)} .",
        f"{wikidata(5)} {SAME} {wikidata(90)} .",
    )
    assert aliases.of("Q90") == ("Paris", "City of Light")
    assert aliases.of("Paris") == aliases.of("paris") == ("City of Light",)
    assert aliases.of("Paris,_Texas") == ("Paris",)
    assert aliases.of("Ville_Lumière") == aliases.of("Q5") == ("Paris", "City of Light")
    assert aliases.of("City_of_Light") == ()


def test_an_own_name_comes_before_a_label_and_the_case_counts_first(build: Any) -> None:
    aliases, _ = build(
        f'{dbpedia("Apple")} {ALT} "Apple Inc"@en .',
        f'{wikidata(89)} {LABEL} "apple"@en .',
        f'{wikidata(89)} {ALT} "pome fruit"@en .',
    )
    assert aliases.of("Apple") == ("Apple Inc",)
    assert aliases.of("apple") == ("pome fruit",)
    assert aliases.of("APPLE") == ("Apple Inc",)


def test_redirects_in_circles_end(build: Any) -> None:
    aliases, report = build(
        f"{dbpedia('Aa')} {REDIRECTS} {dbpedia('Bb')} .",
        f"{dbpedia('Bb')} {REDIRECTS} {dbpedia('Aa')} .",
        f"{dbpedia('Into')} {REDIRECTS} {dbpedia('Aa')} .",
        f"{dbpedia('Self')} {REDIRECTS} {dbpedia('Self')} .",
        f'{dbpedia("Aa")} {ALT} "the Aa"@en .',
        *(f"{dbpedia(f'Step{n}')} {REDIRECTS} {dbpedia(f'Step{n + 1}')} ." for n in range(100)),
    )
    assert report.cycles == 4
    assert report.redirects == 100
    assert aliases.of("Aa") == ("the Aa",)
    assert aliases.of("Into") == ()
    assert len(aliases.of("Step100")) == 50
    assert aliases.of("Step0") == tuple(
        text for text in AliasStore(aliases.path, limit=51).of("Step100") if text != "Step0"
    )


def test_dangerous_aliases_are_left_out_and_counted(build: Any) -> None:
    aliases, report = build(
        f'{dbpedia("1984")} {LABEL} "1984"@en .',
        f'{dbpedia("1984")} {ALT} "X"@en .',
        f'{dbpedia("1984")} {ALT} "84"@en .',
        f'{dbpedia("1984")} {ALT} "1,984"@en .',
        f'{dbpedia("1984")} {ALT} "the year 1984"@en .',
        f'{dbpedia("1984")} {ALT} "{"long " * 100}"@en .',
        f'{dbpedia("1984")} {ALT} "bell\\u0007"@en .',
    )
    assert aliases.of("1984") == ("the year 1984",)
    assert (report.dangerous, report.unusable) == (3, 2)


def test_only_some_entities(build: Any, tmp_path: Path) -> None:
    file = tmp_path / "only.txt"
    file.write_text("# wanted\nkestrel bay\tmore\n\nOldName\n", encoding="utf-8")
    lines = [
        f'{dbpedia("Kestrel_Bay")} {ALT} "KB"@en .',
        f'{dbpedia("NewName")} {ALT} "The New"@en .',
        f"{dbpedia('OldName')} {REDIRECTS} {dbpedia('NewName')} .",
        f'{wikidata(3)} {LABEL} "Kestrel Bay"@en .',
        f'{wikidata(4)} {LABEL} "Else"@en .',
        f'{dbpedia("Else")} {ALT} "Other"@en .',
    ]
    aliases, report = build(*lines, only=read_entities(file))
    assert aliases.of("Kestrel_Bay") == ("KB",)
    assert aliases.of("OldName") == ("The New",)
    assert aliases.of("Q3") == ("Kestrel Bay",)
    assert aliases.of("Q4") == aliases.of("Else") == ()
    assert report.entities == 3


def test_turtle_that_only_a_parser_reads(dump: Write, out: Path) -> None:
    out.parent.mkdir()
    turtle = dump(
        "graph.ttl",
        "@prefix : <http://example.org/> .",
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .",
        ':Kestrel_Bay skos:altLabel "KB"@en, """The \\\\ "Bay\\"""" ; :near _:b .',
    )
    report = build_aliases([turtle], out)
    assert AliasStore(out).of("Kestrel_Bay") == ("KB", 'The \\ "Bay"')
    assert report.statements == 3
    turtle.write_text("@prefix : <http://example.org/> .\n:a :b ?\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"graph\.ttl:2:"):
        build_aliases([turtle], out, force=True)


def test_what_the_file_knows_of_itself(build: Any, out: Path) -> None:
    aliases, report = build(f'{wikidata(1)} {LABEL} "Ding"@de .', lang="de")
    assert aliases.facts["lang"] == "de"
    assert aliases.facts["entities"] == report.entities == 1
    assert aliases.facts["sources"][0]["bytes"] > 10
    assert len(aliases.facts["sources"][0]["sha256"]) == 64
    with closing(sqlite3.connect(out)) as connection:
        found = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    assert json.loads(found[0]) == 1


def test_the_order_of_statements_changes_nothing(dump: Write, tmp_path: Path) -> None:
    lines = [f'{wikidata(n % 7)} {ALT} "Name {n % 11}"@en .' for n in range(60)]
    lines += [f"{dbpedia(f'R{n}')} {REDIRECTS} {dbpedia(f'R{n // 2}')} ." for n in range(1, 20)]
    hashes = set()
    for name, chosen in {"a": lines, "b": lines[::-1], "c": [*lines, *lines[:9]]}.items():
        out = tmp_path / f"{name}.sqlite"
        build_aliases([dump(f"{name}.nt", *chosen)], out)
        hashes.add(AliasStore(out).content_hash())
    assert len(hashes) == 1


GOOD = f'{wikidata(1)} {LABEL} "Ding"@en .'


@pytest.mark.parametrize(
    ("name", "data", "line", "said"),
    [
        ("a.nt", f"{GOOD}\nnonsense\n".encode(), 2, "is not N-Triples: 'nonsense'"),
        ("a.nt", f"{GOOD}\n".encode() * 20_000 + b"<a> <b>\n", 20_001, "is not N-Triples"),
        ("a.nt", f"{GOOD}\n{GOOD}".replace("Ding", "D\\x").encode(), 1, "escape"),
        ("a.nt", GOOD.encode() + b'\n<a> <b> "\xff" .\n', 2, "is not UTF-8 (byte 0xff)"),
        ("a.nt.gz", b"\x1f\x8b\x08\x00broken", 1, "cannot be read further"),
        ("a.nt.bz2", b"BZh91AY&SYbroken", 1, "cannot be read further"),
        ("a.nt", b"PK\x03\x04rest", None, "is packed as zip; unpack it first"),
        ("a.nt", b"x" * (9 << 20), 1, "is longer than 8 MB"),
    ],
)
def test_wrong_dumps(tmp_path: Path, name: str, data: bytes, line: int | None, said: str) -> None:
    path, out = tmp_path / name, tmp_path / "out.sqlite"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        build_aliases([path], out)
    assert caught.value.path == path
    assert caught.value.line == line
    assert said in str(caught.value)
    assert caught.value.remedy
    assert list(tmp_path.iterdir()) == [path]


def test_a_cut_download_and_zstd(dump: Write, tmp_path: Path) -> None:
    whole = dump("a.nt.gz", *[GOOD] * 1000)
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(DataError, match="is it damaged, or not wholly downloaded"):
        build_aliases([whole], tmp_path / "out.sqlite")
    packed = tmp_path / "a.nt.zst"
    packed.write_bytes(b"\x28\xb5\x2f\xfdnot really")
    with pytest.raises(DataError, match=r"zstd -d|cannot be read further"):
        build_aliases([packed], tmp_path / "out.sqlite")


def test_an_existing_file_is_kept_unless_told_and_whole_if_interrupted(
    dump: Write, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "aliases.sqlite"
    path = dump("a.nt", GOOD)
    build_aliases([path], out)
    before = out.read_bytes()
    with pytest.raises(DataError, match="is there already; name another file, or give force=True"):
        build_aliases([path], out)

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_aliases([path], out, force=True, progress=stop)
    assert [one.name for one in folder.iterdir()] == [out.name]
    assert out.read_bytes() == before
    build_aliases([dump("b.nt", GOOD.replace("Ding", "Thing"))], out, force=True)
    assert AliasStore(out).of("Q1") == ("Thing",)


def test_wrong_use(dump: Write, tmp_path: Path) -> None:
    path = dump("a.nt", GOOD)
    with pytest.raises(SettingError, match="is not a language"):
        build_aliases([path], tmp_path / "o.sqlite", lang="e'n")
    with pytest.raises(SettingError, match="no dump"):
        build_aliases([], tmp_path / "o.sqlite")
    with pytest.raises(DataError, match="cannot be read"):
        build_aliases([tmp_path / "absent.nt"], tmp_path / "o.sqlite")
    with pytest.raises(DataError, match="is a folder"):
        build_aliases([tmp_path], tmp_path / "o.sqlite")
    with pytest.raises(DataError, match="cannot be written"):
        build_aliases([path], tmp_path / "absent" / "o.sqlite")
    with pytest.raises(SettingError, match="limit"):
        AliasStore(tmp_path / "o.sqlite", limit=-1)
    empty = dump("none.txt", "# nothing")
    with pytest.raises(DataError, match="names no entity"):
        read_entities(empty)


def test_a_file_that_is_not_of_aliases(build: Any, tmp_path: Path, out: Path) -> None:
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE something (a)")
    with pytest.raises(DataError, match="is not a file of aliases"):
        open_aliases(other)
    build(GOOD)
    with closing(sqlite3.connect(out)) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'version'")
        connection.commit()
    with pytest.raises(DataError, match="version 99, not 1"):
        open_aliases(out)
    out.write_bytes(out.read_bytes()[:5000])
    with pytest.raises(DataError, match="build it again"):
        open_aliases(out)


def test_it_travels_to_threads_and_other_processes(build: Any) -> None:
    aliases, _ = build(GOOD)
    assert aliases.of("Q1") == ("Ding",)
    assert aliases.of("\ud800") == ()
    assert pickle.loads(pickle.dumps(aliases)).content_hash() == aliases.content_hash()
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(aliases.of, ["Q1"] * 50)) == {("Ding",)}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(aliases.of, ["Q1"]) == [("Ding",)]


def test_a_large_dump_streams(tmp_path: Path) -> None:
    path, out = tmp_path / "big.nt", tmp_path / "big.sqlite"

    def lines() -> Iterator[str]:
        for number in range(200_000):
            if number % 20:
                yield f"{wikidata(number)} <http://x/p> {wikidata(number // 3)} .\n"
            else:
                yield f'{wikidata(number // 40)} {ALT} "Name of {number}"@en .\n'

    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(lines())
    tracemalloc.start()
    try:
        report = build_aliases([path], out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.statements == 200_000
    assert report.aliases == 10_000
    assert peak < path.stat().st_size
    assert AliasStore(out).of("Q7") == ("Name of 280", "Name of 300")

"""E2E tables: references, entries, system outputs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.readers import open_source
from adequa.readers.e2e import E2eReader

INN = (Triple("Mill Inn", "eatType", "pub"),)


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.fixture
def references(tmp_path: Path) -> Path:
    return write(
        tmp_path / "set.csv",
        'mr,ref\r\n"name[Mill Inn], eatType[pub]","A pub, Mill Inn."\r\n'
        '"name[Oak], near[Café Sicilia], note[a, b [c]]",Oak.\r\n'
        '"name[Mill Inn], eatType[pub]","Mill Inn\nis a pub."\r\n'
        '"name[Mill Inn], eatType[pub]","Mill Inn\nis a pub."\r\n',
    )


def test_each_reference_is_an_item_with_the_others_as_references(references: Path) -> None:
    placed = list(E2eReader().read(references))
    assert [place.item.id for place in placed] == ["1/1", "2/1", "1/2", "1/3"]
    assert [place.line for place in placed] == [2, 3, 4, 6]
    assert placed[2].item == Item(
        "1/2",
        INN,
        "Mill Inn\nis a pub.",
        "reference",
        references=("A pub, Mill Inn.", "Mill Inn\nis a pub."),
    )
    assert placed[1].item.triples == (
        Triple("Oak", "near", "Café Sicilia"),
        Triple("Oak", "note", "a, b [c]"),
    )
    assert placed[1].item.references == ()


def test_bare_gives_each_entry_once(references: Path) -> None:
    first, second = (place.item for place in E2eReader().read(references, bare=True))
    assert first == Item(
        "1",
        INN,
        "",
        references=("A pub, Mill Inn.", "Mill Inn\nis a pub.", "Mill Inn\nis a pub."),
    )
    assert (second.id, second.references) == ("2", ("Oak.",))


def test_system_outputs_are_raw(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.tsv",
        "MR\toutput\tadded\tmissing\tvalerr\trepeated\n"
        'name[Mill Inn], eatType[pub]\t"Mill Inn", a 5" pub . \t1\t0\t0\t2\n'
        "name[Oak]\t\t0\t0\t0\t0\n",
    )
    first, second = (place.item for place in E2eReader().read(path))
    counts = {"added": 1, "missing": 0, "valerr": 0, "repeated": 2}
    assert first == Item("1", INN, '"Mill Inn", a 5" pub . ', "mine", meta=counts)
    assert second.text == ""
    assert second.triples == (Triple("Oak", "name", "Oak"),)
    (bare, _) = (place.item for place in E2eReader().read(path, bare=True))
    assert (bare.text, bare.references) == ("", ())
    assert bare.meta == {"output": first.text, **counts}


def test_a_list_without_a_name_keeps_what_gave_the_subject(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.tsv", "mr\toutput\neatType[pub], area[riverside]\tA pub.\n")
    (place,) = E2eReader().read(path)
    assert place.item.triples == (Triple("pub", "area", "riverside"),)
    assert place.item.meta == {"subject": "eatType"}
    (place,) = E2eReader(subject="area").read(path)
    assert place.item.triples == (Triple("riverside", "eatType", "pub"),)
    assert place.item.meta == {}


def test_further_columns_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "set.csv", "mr,ref,fixed\nname[Oak],Oak.,0\nname[Oak],An oak.,1\n")
    assert [place.item.meta for place in E2eReader().read(path)] == [{"fixed": "0"}, {"fixed": "1"}]
    (entry,) = E2eReader().read(path, bare=True)
    assert entry.item.meta == {"fixed": ["0", "1"]}


def test_representations_alone_are_for_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "set.csv", "MR\nname[Oak]\n")
    assert [place.item.id for place in E2eReader().read(path, bare=True)] == ["1"]
    with pytest.raises(DataError, match=r"texts=\{system: file\}"):
        list(E2eReader().read(path))


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", None, "is empty"),
        ("ref\nOak.\n", 1, "no column 'mr'"),
        ("mr,MR,ref\n", 1, "two columns with the same name"),
        ("mr,ref\nname[Oak]\n", 2, "has 1 cell for 2 columns"),
        ("mr,ref\nname[Oak],Oak.\nname[Oak,Oak.\n", 3, "'name' is never closed"),
        ("mr,ref\n,Oak.\n", 2, "has no value in brackets"),
        ("mr,ref\nname[],Oak.\n", 2, "'name' has no value"),
        ("MR\toutput\tadded\nname[Oak]\tOak.\t-1\n", 2, "'-1', not a count"),
        ("MR\toutput\tadded\nname[Oak]\tOak.\t²\n", 2, "not a count"),
        ("MR\toutput\nname[Oak]\tOak.\t1\n", 2, "has 3 cells for 2 columns"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, line: int | None, problem: str) -> None:
    path = write(tmp_path / "set.csv", text)
    with pytest.raises(DataError) as caught:
        list(E2eReader().read(path))
    assert problem in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, line)


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "rows", "entries"), [("devset.csv", 4672, 547), ("testset_w_refs.csv", 4693, 630)]
)
def test_the_real_sets(data_dir: Path, file: str, rows: int, entries: int) -> None:
    path = data_dir / "e2e" / file
    texts = list(open_source(path))
    graphs = [place.item for place in E2eReader().read(path, bare=True)]
    assert (len(texts), len(graphs)) == (rows, entries)
    assert sum(len(graph.references) for graph in graphs) == rows
    sizes = Counter(item.id.partition("/")[0] for item in texts)
    assert sizes == {graph.id: len(graph.references) for graph in graphs}
    assert all(len(item.references) == sizes[item.id.partition("/")[0]] - 1 for item in texts)


@pytest.mark.data
def test_the_eleven_systems_follow_the_test_set(data_dir: Path) -> None:
    folder = data_dir / "e2e"
    graphs = [place.item for place in E2eReader().read(folder / "testset_w_refs.csv", bare=True)]
    wanted = [(graph.id, graph.triples) for graph in graphs]
    items = list(open_source(folder / "systems"))
    systems = sorted({item.system for item in items})
    assert systems == sorted(path.stem for path in (folder / "systems").iterdir())
    assert len(systems) == 11
    for system in systems:
        own = [item for item in items if item.system == system]
        assert [(item.id, item.triples) for item in own] == wanted
        path = folder / "systems" / f"{system}.tsv"
        written = [row.split("\t") for row in path.read_text(encoding="utf-8").split("\n")[1:-1]]
        assert [item.text for item in own] == [row[1] for row in written]
        assert [list(map(str, item.meta.values())) for item in own] == [row[2:] for row in written]

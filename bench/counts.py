"""The number of items and ratings in every file of the research data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import adequa
from adequa.readers import Source

NEEDS_DATA = True

TEST_2020 = "webnlg2020/test/rdf-to-text-generation-test-data-with-refs-en.xml"
TEST_2017 = "webnlg2017/test/testdata_with_lex.xml"
WEBNLG = {
    "webnlg2020/train": (13_229, 35_415),
    "webnlg2020/dev": (1_669, 4_468),
    TEST_2020: (1_779, 5_150),
    TEST_2017: (1_862, 4_928),
}
ITEMS = {
    "e2e/devset.csv": 4_672,
    "e2e/testset_w_refs.csv": 4_693,
    "e2e/systems": 11 * 630,
    "quintd/wikidata-dev.jsonl": 300,
    "dart/tables.jsonl": 923,
}
RATINGS = {
    "webnlg2017/human/all_data_final_averaged.csv": 3 * 2_230,
    "webnlg2017/human/all_data_final_scores_anonymised.csv": 3 * 6_111,
    "webnlg2020/human/judgments.jsonl": 5 * 4_249,
    "webnlg2020/human/averaged.jsonl": 5 * 1_529,
}
SYSTEMS = {"webnlg2020": (TEST_2020, 16 * 1_779), "webnlg2017": (TEST_2017, 9 * 1_862)}
PLACED = 0.96


def measure(data: Path) -> list[dict[str, object]]:
    """Our counts against the known ones."""
    return [
        {"figure": figure, "value": f"{found:,}", "target": f"{there:,}", "reached": found == there}
        for figure, found, there in _counts(data)
    ] + [_placement(data, split) for split in ("train", "dev")]


def _counts(data: Path) -> Iterator[tuple[str, int, int]]:
    for name, (entries, texts) in WEBNLG.items():
        source = adequa.read(data / name)
        bare = sum(1 for _ in source.reader.read(source.path, bare=True))
        yield f"{name}: entries", bare, entries
        yield f"{name}: texts", source.count(), texts
    for name, items in ITEMS.items():
        yield f"{name}: items", adequa.read(data / name).count(), items
    for year, (test, outputs) in SYSTEMS.items():
        files = {path.stem: path for path in sorted((data / year / "systems").glob("*.txt"))}
        yield f"{year}: outputs", adequa.read(data / test, texts=files).count(), outputs
    from adequa.readers import read_ratings

    for name, ratings in RATINGS.items():
        yield f"{name}: ratings", sum(1 for _ in read_ratings(data / name)), ratings


def _placement(data: Path, split: str) -> dict[str, object]:
    source: Source = adequa.read(data / "enriched" / split)
    mentions = [mention for item in source for mention in item.meta.get("mentions", ())]
    share = sum(mention["start"] is not None for mention in mentions) / len(mentions)
    return {
        "figure": f"enriched/{split}: share of {len(mentions):,} gold mentions placed",
        "value": f"{share:.4f}",
        "target": f"about {PLACED}",
        "reached": share >= PLACED - 0.005,
    }

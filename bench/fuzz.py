"""`make fuzz`: coverage-guided fuzzing of every reader; any exception but our own is a finding.

    python bench/fuzz.py [TARGET…] [--seconds 600] [--parallel 2]

Each target runs in a process of its own, starts from small seeds, and keeps what crashed it under
bench/out/fuzz. Needs the extra `fuzz`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

OUT = Path(__file__).resolve().parent / "out" / "fuzz"

_JSON = b'{"id": "1", "triples": [["a", "b", "c"]], "text": "t", "references": ["r"], "x": 1.5}'
_WEBNLG = (
    b'<?xml version="1.0"?><benchmark><entries><entry category="C" eid="Id1" size="1">'
    b"<originaltripleset><otriple>a | b | c</otriple></originaltripleset><modifiedtripleset>"
    b'<mtriple>a | b | c</mtriple></modifiedtripleset><lex comment="" lid="Id1">text</lex>'
    b"</entry></entries></benchmark>"
)
_ENRICHED = _WEBNLG.replace(
    b">text</lex>",
    b'><sortedtripleset><sentence ID="1"><striple>a | b | c</striple></sentence></sortedtripleset>'
    b'<references><reference entity="a" number="1" tag="AGENT-1" type="name">a</reference>'
    b"</references><text>a b c</text><template>AGENT-1 b c</template></lex><entitymap>"
    b"<entity>AGENT-1 | a</entity></entitymap>",
)
_RDF_XML = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
    b'<rdf:Description rdf:about="http://e/a"><e:b>c</e:b></rdf:Description></rdf:RDF>'
)
_RATINGS_2017 = (
    b"id,mr,team,text,category,type,bleu,meteor,ter,systemtype,triplesize,fluency,grammar,semantics"
    b'\n1,a | b | c,adapt,"t, u",C,seen,0.1,0.2,3,neural,1triple,1,2,3\n'
)

TARGETS: dict[str, tuple[str, str, list[bytes]]] = {
    "jsonl": ("jsonl", ".jsonl", [_JSON, _JSON.replace(b'[["a", "b", "c"]]', b'"a | b | c"')]),
    "csv": ("csv", ".csv", [b'id,triples,text\n1,a | b | c,"t ""q"" ,"\n']),
    "tsv": ("tsv", ".tsv", [b'id\ttriples\ttext\n1\t[["a","b","c"]]\tt\n']),
    "parquet": ("parquet", ".parquet", []),
    "lines": ("lines", ".txt", [b"a | b | c<br>d | e | f\n[S] a [P] b [O] c\n<H> a <R> b <T> c"]),
    "e2e-csv": ("e2e", ".csv", [b'mr,ref\n"name[A], near[B, [C]], food[D]",text\n']),
    "e2e-tsv": (
        "e2e",
        ".tsv",
        [b"MR\toutput\tadded\tmissing\tvalerr\trepeated\nname[A]\tt\t0\t0\t0\t0\n"],
    ),
    "records-json": ("records", ".json", [b'[{"name": "A", "x": {"y": [1, 2.50, null, true]}}]']),
    "records-csv": ("records", ".csv", [b"name,area,text\nA,b,t\n"]),
    "webnlg": ("webnlg", ".xml", [_WEBNLG]),
    "enriched": ("enriched", ".xml", [_ENRICHED]),
    "rdf-turtle": ("rdf", ".ttl", [b'@prefix e: <http://e/> . e:a e:b "c"@en, 1.5, [ e:d e:f ] .']),
    "rdf-ntriples": (
        "rdf",
        ".nt",
        [b'<http://e/a> <http://e/b> "c"@en .\n<http://e/a> <http://e/b> "4"^^<http://e/t> .\n'],
    ),
    "rdf-nquads": ("rdf", ".nq", [b'<http://e/a> <http://e/b> "c"^^<http://e/t> <http://e/g> .']),
    "rdf-xml": ("rdf", ".rdf", [_RDF_XML]),
    "rdf-jsonld": (
        "rdf",
        ".jsonld",
        [b'{"@id": "http://e/a", "http://e/b": [{"@value": "c"}, 1]}'],
    ),
    "aliases-tsv": ("aliases", ".tsv", [b"Aarhus\tArhus\tSmile City\n# a comment\n"]),
    "aliases-json": ("aliases", ".json", [b'{"Aarhus": ["Arhus"], "B": "C"}']),
    "aliases-dump": (
        "dump",
        ".nt",
        [b'<http://dbpedia.org/resource/A> <http://xmlns.com/foaf/0.1/nick> "\\u00e5"@en .\n'],
    ),
    "esa": (
        "esa",
        ".txt",
        [
            b"Aarhus|length|2702.0\nAarhus|founded|1441-04-02\0Aarhus of 2 April 1441, ...",
            b'A._(b)|c|"16.8 (km), d"\nA._(b)|isX|yes\0A. b x x x x: 16800 m, 03/04/05 \xe2\x80',
        ],
    ),
    "ratings-csv": ("ratings", ".csv", [_RATINGS_2017]),
    "ratings-jsonl": (
        "ratings",
        ".jsonl",
        [
            b'{"id": "1", "system": "S", "rater": "r", "criterion": "c", "value": 1}',
            b'{"system": "S", "id": 29, "worker": "w", "Correctness": 56, "Fluency": 3}',
        ],
    ),
}


def main() -> int:
    """Fuzz the targets, some at a time; returns 1 if one crashed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--parallel", type=int, default=2, help="targets at a time")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        _fuzz(arguments.worker, arguments.seconds)
        return 0
    waiting = arguments.targets or list(TARGETS)
    if unknown := set(waiting) - TARGETS.keys():
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    running: dict[str, subprocess.Popen[bytes]] = {}
    crashed = []
    OUT.mkdir(parents=True, exist_ok=True)
    while waiting or running:
        while waiting and len(running) < arguments.parallel:
            name = waiting.pop(0)
            running[name] = _spawn(name, arguments.seconds)
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                crashed += [name] if process.returncode else []
                print(f"{name}: {'CRASHED, see' if process.returncode else 'clean;'} "
                      f"{OUT / name}.log", flush=True)  # fmt: skip
        time.sleep(0.2)
    return 1 if crashed else 0


def _spawn(name: str, seconds: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "--worker", name, "--seconds", str(seconds)]
    with (OUT / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def _fuzz(name: str, seconds: int) -> None:
    import atheris

    format_name, suffix, seeds = TARGETS[name]
    with atheris.instrument_imports(include=["adequa"]):
        from adequa.errors import AdequaError

        passes = _passes(format_name)

    folder = Path(tempfile.mkdtemp(prefix="adequa-fuzz-"))
    path = folder / f"input{suffix}"
    corpus = folder / "seeds"
    corpus.mkdir()
    for number, seed in enumerate([*seeds, *_parquet_seeds(name)]):
        (corpus / str(number)).write_bytes(seed)

    def one(data: bytes) -> None:
        path.write_bytes(data)
        for read in passes:
            with contextlib.suppress(AdequaError):
                for _ in read(path):
                    pass

    options = [
        f"-max_total_time={seconds}",
        "-max_len=4096",
        "-timeout=20",
        "-rss_limit_mb=2048",
        f"-artifact_prefix={OUT / name}-",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


def _passes(format_name: str) -> list[Callable[[Path], Iterable[object]]]:
    if format_name == "esa":
        return [_judge]
    if format_name == "aliases":
        return [_read_aliases]
    if format_name == "dump":
        return [_build_aliases]
    if format_name == "ratings":
        from adequa.readers import read_ratings

        return [read_ratings]
    from adequa.readers import load_reader

    reader = load_reader(format_name)
    return [reader.read, functools.partial(reader.read, bare=True)]


def _judge(path: Path) -> list[object]:
    """Triples, one per line, then a zero byte, then the text: both modes, and the metric."""
    from adequa.data import Item, Triple
    from adequa.entities import Detector
    from adequa.metrics import load_metric

    data, _, text = path.read_bytes().decode("utf-8", "replace").partition("\0")
    triples = [(line + "||").split("|")[:3] for line in data.splitlines()]
    item = Item("1", tuple(Triple(*triple) for triple in triples), text)
    found: list[object] = [*load_metric("esa").score([item])]
    if triples:
        found += Detector(mode="mentions").detect(item).mentions
    return found


def _read_aliases(path: Path) -> tuple[str, ...]:
    from adequa.entities.aliases.lookup import open_aliases

    return open_aliases(path).of("Aarhus")


def _build_aliases(path: Path) -> tuple[str, ...]:
    from adequa.entities.aliases.builder import build_aliases
    from adequa.entities.aliases.lookup import open_aliases

    out = path.with_suffix(".sqlite")
    build_aliases([path], out, force=True)
    return open_aliases(out).of("Aarhus")


def _parquet_seeds(name: str) -> list[bytes]:
    if name != "parquet":
        return []
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table({"id": ["1"], "triples": [[["a", "b", "c"]]], "text": ["t"]}), stream)
    return [stream.getvalue()]


if __name__ == "__main__":
    sys.exit(main())

"""`adequa score`: inputs of any kind, writers at once, full disks and read-only folders."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from adequa.errors import RunError
from adequa.files import locked
from adequa.run import open_run

Command = Callable[..., tuple[int, str, str]]
ItemsFile = Callable[[int], Path]
ADEQUA = [sys.executable, "-c", "from adequa.cli import main; main()"]


def score(source: Path | str, out: Path, *more: str) -> list[str]:
    return ["score", str(source), "--out", str(out), "-m", "chrf", "--quiet", "--no-cache", *more]


@pytest.fixture
def run(command: Command, items_file: ItemsFile, tmp_path: Path) -> Path:
    code, _, errors = command(*score(items_file(30), tmp_path / "run"))
    assert code == 0, errors
    return tmp_path / "run"


def test_texts_that_are_not_scorable_are_explained(command: Command, tmp_path: Path) -> None:
    raw = {"triples": [["Oban", "country", "Scotland"]]}
    texts = [{"text": "Oban."}, {"text": "Oban.", "references": ["Oban."]}]
    source = tmp_path / "items.jsonl"
    source.write_text("".join(json.dumps(raw | one) + "\n" for one in texts))
    code, said, errors = command(*score(source, tmp_path / "run"))
    assert code == 0, errors
    assert "chrf: 1 of 2 texts is not scorable: no references" in said
    assert f"adequa report {tmp_path / 'run'} --out report.html" in said


def test_a_second_writer_is_told_who_is_first(
    command: Command, items_file: ItemsFile, run: Path
) -> None:
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    with locked(run):
        for more in (["--force"], ["--resume"]):
            code, _, errors = command(*score(items_file(30), run, *more))
            assert code == 2
            assert "is being written by another process (process" in errors
            assert f"process {os.getpid()} on " in errors
            assert " UTC)" in errors
        code, _, errors = command("score", "--add", str(run), "-m", "bleu")
        assert (code, "another process" in errors) == (2, True)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_two_forced_runs_at_once_leave_a_complete_one(
    items_file: ItemsFile, tmp_path: Path, run: Path
) -> None:
    sources = [items_file(400), items_file(300)]
    commands = [[*ADEQUA, *score(source, run, "--force")] for source in sources]
    processes = [subprocess.Popen(one, stderr=subprocess.PIPE) for one in commands]
    ends = [(process.communicate()[1], process.returncode) for process in processes]
    assert {code for _, code in ends} <= {0, 2}
    assert all(b"another process" in errors for errors, code in ends if code)
    opened = open_run(run)
    assert opened.manifest["counts"]["items"] in (300, 400)
    assert len(list(opened.results())) == opened.manifest["counts"]["items"]


def test_metrics_added_at_once_are_all_there(run: Path) -> None:
    """The one that comes second is refused, or adds to what the first one made."""

    def add(label: str) -> None:
        command = [*ADEQUA, "score", "--add", str(run), "-m", f"{label}=chrf", "--quiet"]
        while subprocess.run(command, capture_output=True, check=False).returncode:
            pass

    threads = [threading.Thread(target=add, args=(label,)) for label in ("b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    opened = open_run(run)
    assert set(opened.manifest["metrics"]) == {"chrf", "b", "c"}
    assert all(set(result.scores) == {"chrf", "b", "c"} for result in opened.results())


def test_an_input_that_grows_while_it_is_read_is_an_error(
    command: Command, items_file: ItemsFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from adequa.metrics.reference import Chrf

    source, out = items_file(300), tmp_path / "run"
    more = b'{"id": "new", "system": "A", "triples": [["a", "b", "c"]], "text": "new"}\n'
    original = Chrf.score

    def growing(self, items):
        if source.stat().st_size < 10**6:
            with source.open("ab") as stream:
                stream.write(more)
        return original(self, items)

    monkeypatch.setattr(Chrf, "score", growing)
    code, _, errors = command(*score(source, out))
    assert (code, f"{source}: changed while it was read" in errors) == (2, True)
    with pytest.raises(RunError, match="not finished"):
        open_run(out)


def test_an_input_that_shrinks_between_two_readings_is_an_error(
    command: Command, items_file: ItemsFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from adequa.run import draft

    source = items_file(300)
    lines = source.read_bytes().splitlines(keepends=True)
    begin = draft.Draft.begin

    def cutting(self, plan):
        source.write_bytes(b"".join(lines[:100]))
        begin(self, plan)

    monkeypatch.setattr(draft.Draft, "begin", cutting)
    code, _, errors = command(*score(source, tmp_path / "run"))
    assert (code, "changed while it was read" in errors) == (2, True)


@pytest.mark.parametrize("more", [["--force"], ["--resume"], []])
def test_a_run_does_not_replace_its_own_input(
    more: list[str], command: Command, run: Path, tmp_path: Path
) -> None:
    before = (run / "scores.jsonl").read_bytes()
    linked = tmp_path / "linked.jsonl"
    linked.symlink_to(run / "scores.jsonl")
    for source in (run / "scores.jsonl", linked):
        code, _, errors = command(*score(source, run, *more))
        assert code == 2
        assert "is a file of the run" in errors or not more
    file = f"p=precomputed:file={run / 'scores.jsonl'},key=chrf"
    code, _, errors = command(*score(tmp_path / "items-30.jsonl", run, "--force", "-m", file))
    assert (code, "is a file of the run" in errors) == (2, True)
    assert (run / "scores.jsonl").read_bytes() == before


def test_a_run_inside_of_the_input_folder_is_not_input(
    command: Command, items_file: ItemsFile, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    items_file(20).rename(folder / "items.jsonl")
    (folder / "notes").write_text("not read")
    for more in ([], ["--resume"], ["--force"]):
        assert command(*score(folder, folder / "runs" / "one", *more))[0] == 0
    assert command(*score(folder, folder / "two"))[0] == 0
    for run in (folder / "runs" / "one", folder / "two"):
        assert open_run(run).manifest["counts"]["items"] == 20
        assert len(open_run(run).manifest["inputs"]["files"]) == 1


def test_one_line_too_many_is_named(command: Command, items_file: ItemsFile, run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "status": "running"}))
    lines = (run / "scores.jsonl").read_bytes().splitlines(keepends=True)
    (run / "scores.jsonl").write_bytes(b"".join([*lines, lines[0]]))
    code, _, errors = command(*score(items_file(30), run, "--resume"))
    assert code == 2
    assert "was damaged or edited; --force replaces the run" in errors


def test_a_complete_run_that_lost_lines_is_completed(
    command: Command, items_file: ItemsFile, run: Path
) -> None:
    before = (run / "scores.jsonl").read_bytes()
    (run / "scores.jsonl").write_bytes(before[: len(before) // 2])
    code, _, errors = command("gate", str(run), "--min", "chrf=0")
    assert code == 2
    assert "of 30 items; score it with the same settings and --resume to complete it" in errors
    assert command(*score(items_file(30), run, "--resume"))[0] == 0
    assert (run / "scores.jsonl").read_bytes() == before


READERS = {
    "compare": ["compare", "RUN", "RUN"],
    "report": ["report", "RUN", "--out", "FILE"],
    "gate": ["gate", "RUN", "--min", "chrf=0"],
    "gate against": ["gate", "GOOD", "--baseline", "RUN", "--no-worse", "chrf"],
    "correlate": ["correlate", "RUN", "--ratings", "FILE"],
    "spans": ["spans", "RUN", "--gold", "FILE"],
    "serve": ["serve", "RUN", "-m", "chrf", "--port", "0"],
    "human sample": ["human", "sample", "RUN", "--out", "FILE"],
    "add": ["score", "--add", "RUN", "-m", "b=bleu"],
    "log": ["log", "RUN", "--to", "mlflow"],
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("damage", ["cut", "unfinished"])
def test_no_command_reads_a_run_that_is_not_complete(
    reader: str, damage: str, command: Command, run: Path, tmp_path: Path
) -> None:
    good, ratings = tmp_path / "good", tmp_path / "ratings.jsonl"
    shutil.copytree(run, good)
    rating = {"id": "0", "system": "A", "rater": "r", "criterion": "c", "value": 1}
    mark = {"start": 0, "end": 3, "label": "x"}
    rating |= {"spans": [mark]} if reader == "spans" else {}
    ratings.write_text(json.dumps(rating) + "\n")
    if damage == "cut":
        path = run / "scores.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:15]))
    else:
        manifest = run / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"complete"', '"running"'))
    takes_ratings = reader in ("correlate", "spans")
    names = {"RUN": run, "GOOD": good, "FILE": ratings if takes_ratings else tmp_path / "new"}
    code, _, errors = command(*(str(names.get(word, word)) for word in READERS[reader]))
    problem = {"cut": "not complete: scores.jsonl has 15 of", "unfinished": "is not finished ("}
    assert (code, problem[damage] in errors) == (2, True), errors
    assert "; score it with the same settings and --resume to complete it" in errors
    assert "=True" not in errors
    assert not (tmp_path / "new").exists()


def test_a_run_whose_scores_were_edited_is_not_resumed(
    command: Command, items_file: ItemsFile, run: Path
) -> None:
    path = run / "scores.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"chrf": ', b'"chrf": 1', 1))
    code, _, errors = command(*score(items_file(30), run, "--resume"))
    assert (code, "damaged or edited" in errors) == (2, True)


def test_a_run_with_a_damaged_manifest_can_be_replaced(
    command: Command, items_file: ItemsFile, run: Path
) -> None:
    (run / "manifest.json").write_text("{")
    assert command(*score(items_file(30), run, "--resume"))[0] == 2
    assert command(*score(items_file(30), run, "--force"))[0] == 0
    assert len(list(open_run(run).results())) == 30


needs_limits = pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")


@needs_limits
@pytest.mark.parametrize("kilobytes", [0, 1, 8, 40])
def test_a_full_disk_is_named_and_recovered_from(
    kilobytes: int, items_file: ItemsFile, tmp_path: Path
) -> None:
    source = items_file(300)
    whole, out = tmp_path / "whole", tmp_path / "run"
    subprocess.run([*ADEQUA, *score(source, whole)], check=True, capture_output=True)
    limited = (
        "import resource, sacrebleu; from adequa.cli import main; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({kilobytes << 10}, -1)); main()"
    )
    command = [sys.executable, "-c", limited, *score(source, out)]
    full = subprocess.run(command, capture_output=True, check=False, text=True)
    assert full.returncode == 2, full.stderr
    assert "cannot be written (File too large)" in full.stderr
    assert "Traceback" not in full.stderr
    subprocess.run([*ADEQUA, *score(source, out, "--resume")], check=True, capture_output=True)
    assert (out / "scores.jsonl").read_bytes() == (whole / "scores.jsonl").read_bytes()


@pytest.mark.parametrize("more", [["--force"], ["--resume"], ["--add"]])
def test_a_folder_that_cannot_be_written_is_named(
    more: list[str],
    command: Command,
    items_file: ItemsFile,
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Injected, because tests may run as a user to whom permissions do not apply.
    original = os.open

    def refusing(path, flags, *rest, **options):
        if flags & os.O_CREAT and str(path).startswith(str(run)):
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return original(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refusing)
    arguments = (
        ["score", "--add", str(run), "-m", "bleu"]
        if more == ["--add"]
        else score(items_file(30), run, *more)
    )
    code, _, errors = command(*arguments)
    assert code == 2
    assert "cannot be written (Read-only file system); check its permissions" in errors


def test_stdin_and_pipes_are_scored(items_file: ItemsFile, run: Path, tmp_path: Path) -> None:
    source = items_file(30)
    wanted = (run / "scores.jsonl").read_bytes()
    out = tmp_path / "stdin"
    for more in ([], ["--resume"]):
        command = [*ADEQUA, *score("-", out, *more)]
        subprocess.run(command, check=True, capture_output=True, input=source.read_bytes())
    assert (out / "scores.jsonl").read_bytes() == wanted
    assert open_run(out).manifest["inputs"]["path"] == "stdin"
    if os.name == "nt":
        return
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    content = source.read_bytes()
    writer = threading.Thread(target=lambda: pipe.write_bytes(content), daemon=True)
    writer.start()
    command = [*ADEQUA, *score(pipe, tmp_path / "piped")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    writer.join()
    assert (tmp_path / "piped" / "scores.jsonl").read_bytes() == wanted


def test_an_error_in_stdin_names_stdin(tmp_path: Path) -> None:
    for content, message in (
        (b'{"id": "1", "triples": [["a", "b", "c"]], "text": ""}\n{', b"stdin:2: is not JSON"),
        (b" ", b"stdin is empty"),
    ):
        command = [*ADEQUA, *score("-", tmp_path / "run")]
        ended = subprocess.run(command, capture_output=True, input=content, check=False)
        assert (ended.returncode, message in ended.stderr) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_name_twice_in_an_item_is_refused(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "1", "triples": [["a", "b", "c"]], "text": "x", "text": "y"}\n')
    code, _, errors = command(*score(path, tmp_path / "run"))
    assert (code, f"{path}:1: has 'text' twice in one object; keep one" in errors) == (2, True)


@pytest.mark.parametrize(("depth", "fits"), [(90, True), (900, False)])
def test_depth_is_bounded_alike_for_any_number_of_jobs(
    depth: int, fits: bool, command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    deep = "[" * depth + "]" * depth
    item = '{"id": "%d", "triples": [["a", "b", "c"]], "text": "x", "meta": {"deep": %s}}\n'
    path.write_text("".join(item % (number, deep) for number in range(4)))
    for jobs in ("1", "2"):
        code, _, errors = command(*score(path, tmp_path / f"run-{jobs}", "--jobs", jobs))
        assert (code == 0) == fits, errors
        assert fits or ":1: is nested too deeply, more than 100 levels" in errors

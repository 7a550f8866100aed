"""Faults at random moments: nothing lost, nothing doubled, nothing called complete that is not.

Each cycle makes one fault, checks what it left, completes the work and checks that too. A cycle is
decided by its number, and takes about a second: the processes that are killed are forked from this
one, which has imported everything, so that kills meet the work and not the imports. With `--log`
the outcomes are kept in a file, and cycles that it has are not run again.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

from adequa.errors import AdequaError
from adequa.run import Run, open_run
from adequa.settings import file_hash
from bench.items import write_items

OPTIONS = ("cycles", "log")
CYCLES = 1_000
ITEMS, OTHER_ITEMS = 150, 100
PATIENCE = 180.0
"""Seconds after which a process counts as stuck."""

FILES = {"manifest.json", "scores.jsonl", "summary.json"}
WORKING = {"manifest.json.next", "scores.jsonl.next", "summary.json.next", ".adequa.lock"}
WORKING |= {"shards", "shards.next"}


@dataclass(frozen=True)
class Outcome:
    """What a cycle found."""

    cycle: int
    kind: str
    met: bool
    """Whether the fault met work in progress."""
    problem: str = ""


class Fault(Exception):
    """Something was lost, doubled, stuck, or called complete though it is not."""


@dataclass(frozen=True)
class Place:
    """The files that all cycles share: two inputs, and their runs as nobody disturbed them."""

    folder: Path
    seconds: float
    """What scoring the first input takes."""
    tmpfs: Path | None
    """A small disk, where the system lets us have one."""

    @property
    def items(self) -> Path:
        """The input of most cycles."""
        return self.folder / "items.jsonl"

    @property
    def other(self) -> Path:
        """Another input."""
        return self.folder / "other.jsonl"

    def wanted(self, name: str) -> bytes:
        """The lines of an undisturbed run: `items`, `other`, and `+` for the added metric."""
        return (self.folder / name / "scores.jsonl").read_bytes()

    def copy(self, name: str, to: Path) -> Path:
        """A copy of an undisturbed run."""
        shutil.copytree(self.folder / name, to)
        return to

    def name_of(self, run: Run) -> str:
        """Which undisturbed run a run is; a Fault if it is none of them."""
        count, labels = run.manifest["counts"]["items"], set(run.manifest["metrics"])
        name = {ITEMS: "items", OTHER_ITEMS: "other"}.get(count, "")
        name += "+" if labels == {"bleu", "chrf"} else ""
        require(bool(name), f"a complete run has {count} items")
        require(run.scores_path.read_bytes() == self.wanted(name), "a complete run has other bytes")
        summary = run.summary
        require(summary["items"] == count, "the summary counts other items")
        columns = {one for entry in summary["systems"].values() for one in entry["metrics"]}
        require(columns == labels, "the summary has other metrics than the manifest")
        return name


def require(is_right: bool, problem: str) -> None:
    """Raise a Fault unless something is as it must be."""
    if not is_right:
        raise Fault(problem)


def measure(data: Path, cycles: int = CYCLES, log: Path | None = None) -> list[dict[str, object]]:
    """Failures by kind of fault, and how many faults met work in progress."""
    del data
    if not hasattr(os, "fork"):
        sys.stderr.write("faults: this system cannot fork processes: left out\n")
        return []
    _import_everything()
    outcomes = _read_log(log)
    done = {one.cycle for one in outcomes}
    with _prepared() as place:
        for cycle in (one for one in range(cycles) if one not in done):
            outcome = _run_cycle(place, cycle)
            outcomes.append(outcome)
            if log is not None:
                with log.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(asdict(outcome)) + "\n")
            if outcome.problem:
                sys.stderr.write(f"\ncycle {cycle}, {outcome.kind}: {outcome.problem}\n")
            sys.stderr.write(f"\rcycle {cycle + 1:,} of {cycles:,}")
    sys.stderr.write("\n")
    return [_row(kind, outcomes) for kind in KINDS]


def _read_log(log: Path | None) -> list[Outcome]:
    if log is None or not log.is_file():
        return []
    return [Outcome(**json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]


def _row(kind: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    own = [one for one in outcomes if one.kind == kind]
    met, failed = sum(one.met for one in own), sum(bool(one.problem) for one in own)
    return {
        "figure": f"{kind}: failures in {len(own):,} cycles ({met:,} met work in progress)",
        "value": failed,
        "target": "0",
        "reached": failed == 0,
    }


def _run_cycle(place: Place, cycle: int) -> Outcome:
    kind = SCHEDULE[cycle % len(SCHEDULE)]
    folder = place.folder / "cycle"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    met, problem = False, ""
    try:
        met = KINDS[kind](place, folder, random.Random(cycle))
    except Fault as fault:
        problem = str(fault)
    except Exception:  # noqa: BLE001  # any surprise is a failure of the drill
        problem = traceback.format_exc()
    if problem:
        kept = Path(tempfile.mkdtemp(prefix=f"adequa-fault-{cycle}-"))
        shutil.copytree(folder, kept / "cycle")
        problem += f" (kept in {kept})"
    return Outcome(cycle, kind, met, problem)


def _import_everything() -> None:
    """Score a little in this process, so that a forked one has nothing left to import."""
    from importlib import import_module

    from adequa.metrics import resolve
    from adequa.readers import open_source
    from adequa.run import add_metrics, score_run, summary_table

    for name in ("cli.score", "human.campaign.store", "web.api.runs"):
        import_module(f"adequa.{name}")
    with tempfile.TemporaryDirectory() as name:
        items = Path(name) / "items.jsonl"
        write_items(items, 5)
        run = score_run(open_source(items), resolve(["bleu"]), Path(name) / "run")
        run = add_metrics(run, resolve(["chrf"]))
        summary_table(run.summary, run.manifest).text()


@contextlib.contextmanager
def _prepared() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="adequa-faults-") as name, _small_disk() as tmpfs:
        folder = Path(name)
        place = Place(folder, 0.0, tmpfs)
        write_items(place.items, ITEMS, seed=1)
        write_items(place.other, OTHER_ITEMS, seed=2)
        seconds = 0.0
        for source, run in ((place.items, "items"), (place.other, "other")):
            started = time.perf_counter()
            _run(_score(source, folder / run), folder)
            seconds = seconds or time.perf_counter() - started
            place.copy(run, folder / f"{run}+")
            _run(_add(folder / f"{run}+"), folder)
        yield Place(folder, seconds, tmpfs)


@contextlib.contextmanager
def _small_disk() -> Iterator[Path | None]:
    """A disk of one megabyte; None where mounting is not allowed."""
    folder = Path(tempfile.mkdtemp(prefix="adequa-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    mounted = shutil.which("mount") is not None and (
        subprocess.run(command, capture_output=True, check=False).returncode == 0
    )
    sys.stderr.write(f"full disks: {'a tmpfs' if mounted else 'a limit on the size of files'}\n")
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=False)
        folder.rmdir()


def _score(source: Path, out: Path, *more: str) -> list[str]:
    options = ["-m", "bleu", "--batch-size", "10", "--quiet", "--no-cache"]
    return ["score", str(source), "--out", str(out), *options, *more]


def _add(run: Path, *more: str) -> list[str]:
    options = ["-m", "chrf", "--batch-size", "10", "--quiet", "--no-cache"]
    return ["score", "--add", str(run), *options, *more]


Prepare = Callable[[], None]


def start(arguments: Sequence[str], log: Path, prepare: Prepare = lambda: None) -> int:
    """Fork a process that runs `adequa`, with its messages in a file."""

    def command() -> None:
        from adequa.cli import main

        sys.argv = ["adequa", *arguments]
        main()

    return _fork(command, log, prepare)


def _fork(work: Callable[[], None], log: Path, prepare: Prepare = lambda: None) -> int:
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        messages = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", 0), write_through=True)
        sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", 0), write_through=True)
        prepare()
        work()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:  # noqa: BLE001  # the parent reads it in the log
        traceback.print_exc()
    finally:
        os._exit(code)


def wait(pid: int) -> int:
    """The exit code of a process that was forked; a Fault if it is stuck."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise Fault("a process is stuck")


def _kill(pid: int, after: float) -> bool:
    """Kill a process; whether it was still at work."""
    time.sleep(after)
    found, _ = os.waitpid(pid, os.WNOHANG)
    if found:
        return False
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


def _run(arguments: Sequence[str], folder: Path, *, codes: Sequence[int] = (0,)) -> int:
    """Run `adequa` to its end; a Fault if it ends in another way than it may."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    code = wait(start(arguments, log))
    _require_explained(code, log, codes)
    return code


def _require_explained(code: int, log: Path, codes: Sequence[int] = (0, 2)) -> None:
    said = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    require(code in codes and "Traceback" not in said, f"exit code {code}: {said[-2000:]}")


def _require_settled(run: Path) -> None:
    """Nothing but the run is left in its folder."""
    found = {path.name for path in run.iterdir()}
    require(found == FILES, f"left in the folder: {', '.join(sorted(found - FILES))}")


def _require_known_names(run: Path) -> None:
    if run.is_dir():
        names = {path.name.removesuffix(".new") for path in run.iterdir()}
        require(names <= FILES | WORKING, f"unknown files: {sorted(names)}")


def _complete(place: Place, run: Path, folder: Path) -> None:
    """Resume a new run, and compare it with the undisturbed one."""
    _run(_score(place.items, run, "--resume"), folder)
    require(place.name_of(open_run(run)) == "items", "the resumed run has other items")
    _require_settled(run)


def _kill_score(place: Place, folder: Path, chance: random.Random) -> bool:
    run = folder / "run"
    jobs = "2" if chance.random() < 0.05 else "1"  # each process takes a second to start
    seconds = place.seconds if jobs == "1" else 4 * place.seconds + 2
    met = _kill(
        start(_score(place.items, run, "--jobs", jobs), folder / "killed"),
        chance.uniform(0, 1.1 * seconds),
    )
    _require_known_names(run)
    if (run / "manifest.json").is_file():
        with contextlib.suppress(AdequaError):
            place.name_of(open_run(run))
    if chance.random() < 0.3:  # and again
        again = start(_score(place.items, run, "--resume"), folder / "killed")
        met |= _kill(again, chance.uniform(0, seconds))
    _complete(place, run, folder)
    return met


def _kill_force(place: Place, folder: Path, chance: random.Random) -> bool:
    run = place.copy("other", folder / "run")
    pid = start(_score(place.items, run, "--force"), folder / "killed")
    met = _kill(pid, chance.uniform(0, 1.2 * place.seconds))
    _require_known_names(run)
    name = place.name_of(open_run(run))  # complete at any moment
    require(name in ("other", "items"), f"the run is {name}")
    if chance.random() < 0.5 and (run / "manifest.json.next").is_file() and name == "other":
        _complete(place, run, folder)
    else:
        _run(_score(place.items, run, "--force"), folder)
        require(place.name_of(open_run(run)) == "items", "the forced run has other items")
        _require_settled(run)
    return met


def _kill_add(place: Place, folder: Path, chance: random.Random) -> bool:
    run = place.copy("items", folder / "run")
    pid = start(_add(run), folder / "killed")
    met = _kill(pid, chance.uniform(0, 1.5 * place.seconds))
    _require_known_names(run)
    name = place.name_of(open_run(run))
    if name == "items":
        _run(_add(run), folder)
    else:
        _run(["score", "--add", str(run), "-m", "c2=chrf", "--quiet"], folder)
        require(
            set(open_run(run).manifest["metrics"]) == {"bleu", "chrf", "c2"}, "a metric is lost"
        )
        return met
    require(place.name_of(open_run(run)) == "items+", "the metric was not added")
    _require_settled(run)
    return met


def _kill_shards(place: Place, folder: Path, chance: random.Random) -> bool:
    run, count = folder / "run", chance.randrange(1, 5)
    shards = [_score(place.items, run, "--shard", f"{one}/{count}") for one in range(1, count + 1)]
    pids = [start(shard, folder / "killed") for shard in shards]
    met = _kill(pids[0], chance.uniform(0, 1.1 * place.seconds))
    for pid in pids[1:]:
        wait(pid)
    _require_known_names(run)
    log = folder / "again"
    for pid in [start(shard, log) for shard in [*shards, shards[0]]]:
        _require_explained(wait(pid), log, (0,))
    met |= _kill(start(["merge", str(run)], log), chance.uniform(0, 0.2 * place.seconds))
    if (run / "manifest.json").is_file():
        with contextlib.suppress(AdequaError):
            place.name_of(open_run(run))
    if chance.random() < 0.5:
        _run(["merge", str(run)], folder)
    _complete(place, run, folder)
    return met


_REFUSALS = (b"another process", b"was begun with other data", b"already")
"""What a writer is told that comes second, whose data is not that of the run, or whose metric is
there."""


def _writers(count: int) -> Callable[[Place, Path, random.Random], bool]:
    def cycle(place: Place, folder: Path, chance: random.Random) -> bool:
        run = place.copy(chance.choice(("items", "other")), folder / "run")
        commands = [
            _score(place.items, run, "--force"),
            _score(place.other, run, "--force"),
            _score(place.items, run, "--resume"),
            _add(run),
        ]
        logs = [folder / f"writer-{number}" for number in range(count)]
        pids = [start(chance.choice(commands), log) for log in logs]
        killed = pids[0] if chance.random() < 0.3 else None
        if killed is not None:
            _kill(killed, chance.uniform(0, place.seconds))
        codes = {log: wait(pid) for log, pid in zip(logs, pids, strict=True) if pid != killed}
        told = {log: log.read_bytes() if log.is_file() else b"" for log in logs}
        for log, code in codes.items():
            _require_explained(code, log)
            refused = any(reason in told[log] for reason in _REFUSALS)
            require(code == 0 or refused, f"a writer was refused without a reason: {told[log]!r}")
        kept_out = [b"another process" in told[log] for log in codes]
        require(killed is not None or not all(kept_out), "nobody got the lock")
        place.name_of(open_run(run))
        return any(kept_out)

    return cycle


def _full_disk(place: Place, folder: Path, chance: random.Random) -> bool:
    import resource

    size = len(place.wanted("items"))
    limit = chance.randrange(0, int(1.2 * size))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    base = folder
    prepare: Prepare = limited
    if place.tmpfs is not None and chance.random() < 0.5:
        base = place.tmpfs
        shutil.rmtree(base / "run", ignore_errors=True)
        ballast = base / "ballast"
        ballast.unlink(missing_ok=True)
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as stream:
            stream.write(bytes((1 << 20) - limit))

        def prepare() -> None:
            """The disk itself is full."""

    run = base / "run"
    which = chance.choice(("score", "force", "add")) if base == folder else "score"
    if which != "score":
        place.copy("other" if which == "force" else "items", run)
    command = {
        "score": _score(place.items, run),
        "force": _score(place.items, run, "--force"),
        "add": _add(run),
    }[which]
    log = folder / "full"
    code = wait(start(command, log, prepare))
    _require_explained(code, log)
    require(code == 0 or b"cannot be written" in log.read_bytes(), "the full disk is not named")
    if code != 0 and which != "score":
        place.name_of(open_run(run))
    if base != folder:
        (base / "ballast").unlink(missing_ok=True)
        kept = folder / "run"
        if run.is_dir():  # the resumed run needs more room than the small disk has
            shutil.copytree(run, kept)
            shutil.rmtree(run)
        run = kept
    if which == "add":
        if code != 0:
            _run(_add(run), folder)
        require(place.name_of(open_run(run)) == "items+", "the metric was not added")
    else:
        more = "--force" if which == "force" else "--resume"
        _run(_score(place.items, run, more), folder)
        require(place.name_of(open_run(run)) == "items", "the run has other items")
    return code != 0


def _jumping(chance: random.Random) -> Prepare:
    """Let the clock of a process jump by days, forwards and backwards."""
    jumps = [chance.uniform(-1e6, 1e6) for _ in range(64)]

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Jumping:
            moment = datetime.now(timezone.utc) + timedelta(seconds=random.choice(jumps))
            return cls.fromtimestamp(moment.timestamp(), tz)

    def prepare() -> None:
        import adequa.files
        import adequa.run.draft

        real = time.time
        time.time = lambda: real() + random.choice(jumps)
        for module in (adequa.files, adequa.run.draft):
            module.datetime = Jumping  # type: ignore[attr-defined]

    return prepare


def _clock_jump(place: Place, folder: Path, chance: random.Random) -> bool:
    run, source = folder / "run", folder / "items.jsonl"
    shutil.copyfile(place.items, source)
    pid = start(_score(source, run), folder / "killed", _jumping(chance))
    met = _kill(pid, chance.uniform(0, 1.1 * place.seconds))
    # The content decides, not the dates of files.
    for path in [source, *(run.iterdir() if run.is_dir() else ())]:
        moment = time.time() + chance.uniform(-1e8, 1e8)
        os.utime(path, (moment, moment))
    log = folder / "resumed"
    code = wait(start(_score(source, run, "--resume"), log, _jumping(chance)))
    _require_explained(code, log, (0,))
    require(place.name_of(open_run(run)) == "items", "the resumed run has other items")
    return met


def _changed_input(place: Place, folder: Path, chance: random.Random) -> bool:
    run, source = folder / "run", folder / "items.jsonl"
    content = place.items.read_bytes()
    source.write_bytes(content)
    pid = start(_score(source, run), folder / "changed")
    time.sleep(chance.uniform(0, 1.1 * place.seconds))
    if chance.random() < 0.5:
        with source.open("ab") as stream:
            stream.write(place.other.read_bytes()[: chance.randrange(1, 5000)])
    else:
        os.truncate(source, chance.randrange(0, len(content)))
    code = wait(pid)
    _require_explained(code, folder / "changed")
    if code == 0:
        opened = open_run(run)
        scored = opened.manifest["inputs"]["files"][0]["sha256"]
        if scored == file_hash(place.items):  # it had read everything before
            place.name_of(opened)
        else:
            require(scored == file_hash(source), "the run is of neither version of the input")
            lines = sum(bool(line.strip()) for line in source.read_bytes().split(b"\n"))
            require(sum(1 for _ in opened.objects()) == lines, "the run has other items")
        return False
    if (run / "manifest.json").is_file():
        with contextlib.suppress(AdequaError):
            place.name_of(open_run(run))
    source.write_bytes(content)
    resumed = _run(_score(source, run, "--resume"), folder, codes=(0, 2))
    if resumed == 2:  # lines of the other version were written before the change was seen
        _run(_score(source, run, "--force"), folder)
    require(place.name_of(open_run(run)) == "items", "the run has other items")
    return True


def _changed_run(place: Place, folder: Path, chance: random.Random) -> bool:
    run = place.copy("items", folder / "run")
    path = run / chance.choice(sorted(FILES))
    content = path.read_bytes()
    if chance.random() < 0.3:
        lines = content.splitlines(keepends=True)
        path.write_bytes(content + chance.choice([b"{}\n", b"\0\0", lines[0], content]))
    else:
        path.write_bytes(content[: chance.randrange(0, len(content))])
    met = False
    try:
        place.name_of(open_run(run))
    except AdequaError:
        met = True
    if _run(_score(place.items, run, "--resume"), folder, codes=(0, 2)) == 2:
        _run(_score(place.items, run, "--force"), folder)
    require(place.name_of(open_run(run)) == "items", "the run has other items")
    return met


def _kill_queue(place: Place, folder: Path, chance: random.Random) -> bool:
    """Kill the process of a server that scores uploads."""
    runs, log = folder / "runs", folder / "queue"

    def serve() -> None:
        queue = _open_queue(runs)
        _upload(queue, place.items, 2)
        queue.close()

    met = _kill(_fork(serve, log), chance.uniform(0, 6))
    answer = folder / "answer"

    def look() -> None:
        queue = _open_queue(runs)
        for record in queue.list():
            require(record["status"] in ("done", "failed"), f"a run is {record['status']}")
            if record["status"] == "done":
                place.name_of(queue.open(record["id"]))
        _upload(queue, place.items, 1)
        last = queue.list()[-1]
        require(last["status"] == "done", f"a new run is {last['status']}: {last['error']}")
        place.name_of(queue.open(last["id"]))
        queue.close()
        answer.write_text("fine")

    checking = folder / "checking"
    code = wait(_fork(look, checking))
    said = checking.read_text(errors="replace") if checking.is_file() else ""
    require(code == 0 and answer.is_file(), f"the queue did not recover: {said[-2000:]}")
    return met


def _open_queue(folder: Path) -> Any:
    from adequa.metrics import resolve
    from adequa.web.api.runs import Runs
    from adequa.web.limits import ServerSettings

    folder.mkdir(exist_ok=True)
    return Runs(folder, resolve(["bleu"]), ServerSettings())


def _upload(queue: Any, source: Path, count: int) -> None:
    """Add runs, and wait for them."""
    ids = []
    for _ in range(count):
        id_, file = queue.begin_upload(".jsonl")
        shutil.copyfile(source, file)
        queue.add(id_, file=file, name="items", format_="jsonl", labels=["bleu"])
        ids.append(id_)
    ends = time.monotonic() + PATIENCE
    while any(queue.get(id_).status in ("queued", "running") for id_ in ids):
        require(time.monotonic() < ends, "the queue is stuck")
        time.sleep(0.05)


def _kill_campaign(place: Place, folder: Path, chance: random.Random) -> bool:
    """Kill one of two processes that store answers of raters; what was confirmed is there, once."""
    del place
    from adequa.human.campaign.model import Campaign
    from adequa.human.campaign.settings import PRESETS, write_campaign
    from bench.human_load import sample

    campaign = folder / "campaign"
    questions = PRESETS["webnlg2017"]
    write_campaign(
        campaign, Campaign("drill", "Drill", questions, raters_per_text=2), sample(12, 3)
    )
    confirmed = [folder / "confirmed-0", folder / "confirmed-1"]
    pids = [
        _fork(lambda path=path: _answer_texts(campaign, path), folder / "answering")  # type: ignore[misc]
        for path in confirmed
    ]
    met = _kill(pids[0], chance.uniform(0, 1.5))
    _require_explained(wait(pids[1]), folder / "answering", (0,))
    answer = folder / "answer"

    def look() -> None:
        _compare_answers(campaign, confirmed)
        answer.write_text("fine")

    checking = folder / "checking"
    code = wait(_fork(look, checking))
    said = checking.read_text(errors="replace") if checking.is_file() else ""
    require(code == 0 and answer.is_file(), f"answers differ: {said[-2000:]}")
    return met


def _answer_texts(campaign: Path, confirmed: Path) -> None:
    """Answer until nothing is left, and note each answer that was confirmed."""
    from adequa.human.campaign.model import NothingLeft
    from adequa.human.campaign.store import CampaignStore

    store = CampaignStore.open(campaign)
    (rater,) = store.add_raters(1)
    with confirmed.open("a", encoding="utf-8", buffering=1) as stream:
        while not isinstance(page := store.next_page(rater.number, another_task=True), NothingLeft):
            value = 1 + (page.slot % 3)
            raw = {question.name: value for question in store.campaign.questions}
            if store.answer(rater.number, page.slot, raw, 1.0) != "gone":
                item = page.text.item
                row = [rater.number, item.system, item.id, value]
                stream.write(json.dumps(row) + "\n")
    store.close()


def _compare_answers(campaign: Path, confirmed: Sequence[Path]) -> None:
    from adequa.human.campaign.model import name_of
    from adequa.human.campaign.store import CampaignStore

    store = CampaignStore.open(campaign)
    found: dict[tuple[str, str, str], list[float]] = {}
    first = store.campaign.questions[0].name
    for rating in store.ratings():
        if rating.criterion == first and rating.rater:
            found.setdefault((rating.rater, rating.system, rating.id), []).append(rating.value)
    store.close()
    require(all(len(values) == 1 for values in found.values()), "an answer is there twice")
    for path in confirmed:
        for line in path.read_text().splitlines() if path.is_file() else ():
            try:
                number, system, id_, value = json.loads(line)
            except ValueError:
                continue  # the note itself was cut off
            stored = found.get((name_of(number), system, id_))
            require(stored == [value], f"{id_} of {system}: {value} confirmed, {stored} stored")


KINDS: Mapping[str, Callable[[Place, Path, random.Random], bool]] = {
    "kill -9 of score": _kill_score,
    "kill -9 of --force": _kill_force,
    "kill -9 of --add": _kill_add,
    "kill -9 of a shard and of merge": _kill_shards,
    "kill -9 of the API's run queue": _kill_queue,
    "kill -9 of a campaign": _kill_campaign,
    "two writers at once": _writers(2),
    "eight writers at once": _writers(8),
    "a full disk": _full_disk,
    "a clock that jumps": _clock_jump,
    "an input that grows or shrinks": _changed_input,
    "a file of a run cut or appended to": _changed_run,
}
_SHARES = (4, 2, 2, 2, 1, 1, 2, 1, 2, 1, 1, 1)
SCHEDULE = [kind for kind, share in zip(KINDS, _SHARES, strict=True) for _ in range(share)]
"""The kinds of twenty cycles."""

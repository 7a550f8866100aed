"""Many items by shards: memory, overhead, engines, and kills at random moments.

`--items` gives the sizes; the issue is memory from the smallest to the largest, so ten million is a
matter of hours and not of another program. Engines are compared with a metric that takes about as
long as `nli` takes for a text. `--cycles` is the number of kills. `--part engines` needs two quiet
cores; memory, overhead (in seconds of the processor) and kills do not.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from adequa.data import Item, Score, Triple
from adequa.metrics import Metric, resolve
from adequa.readers import open_source
from adequa.run import (
    Engine,
    LocalEngine,
    RayEngine,
    merge_run,
    open_run,
    score_run,
    score_shard,
)
from bench.items import write_items

SIZES = (100_000, 1_000_000)
KILLS = 200
SHARD_ITEMS = 100_000
WORKERS = 2
LIMIT_MB, FLAT = 600, 1.2
MOST_OVERHEAD = 0.05
LEAST_RAY, LEAST_SPEEDUP = 0.9, 1.8
NLI_SECONDS = 0.01
"""The cost of a text: `nli` scores about a hundred texts per second on one core."""
ENGINE_ITEMS = 6_000
"""One minute of one core. A hundred thousand such texts would take a quarter of an hour and give
the same ratios: what is not proportional to them, starting processes, weighs less then."""
KILL_ITEMS = 2_000
COST_METRICS = ("esa", "nli", "similarity", "bleu", "chrf", "ter")
COST_ITEMS = 220
OPTIONS = ("sizes", "cycles", "parts")
PARTS = ("costs", "memory", "overhead", "engines", "kills")
_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Costly(Metric):
    """Computes for a while, as a model does."""

    name: ClassVar[str] = "costly"
    doc: ClassVar[str] = "a metric that takes time"
    best: ClassVar[float] = 1.0
    worst: ClassVar[float] = 0.0

    seconds: float = NLI_SECONDS

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The share of the alphabet, after so many seconds of this processor for each item."""
        until = time.thread_time() + self.seconds * len(items)
        while time.thread_time() < until:
            sum(range(1000))
        return [Score(len(set(item.text)) / 256) for item in items]


def measure(
    data: Path,
    sizes: Sequence[int] = SIZES,
    cycles: int = KILLS,
    parts: Sequence[str] = PARTS,
) -> list[dict[str, object]]:
    """Peaks of memory by size, overhead, engines, kills; the parts that are asked for."""
    paths = [str(_ROOT), str(_ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    with tempfile.TemporaryDirectory(prefix="adequa-scale-") as name:
        folder = Path(name)
        rows = {
            "costs": lambda: _costs(data),
            "memory": lambda: _memory(folder, sizes),
            "overhead": lambda: _overhead(folder, sizes[0]),
            "engines": lambda: _engines(folder),
            "kills": lambda: _kills(folder, cycles),
        }
        return [row for part in PARTS if part in parts for row in rows[part]()]


def _row(figure: str, value: float, target: str, reached: bool) -> dict[str, object]:
    return {"figure": figure, "value": value, "target": target, "reached": reached}


def _costs(data: Path) -> Iterator[dict[str, object]]:
    """Texts per hour of one core for each metric, each text with a graph of its own."""
    folder = data / "webnlg2020" / "dev"
    if not folder.is_dir():
        sys.stderr.write(f"scale: no data at {folder}: the costs of metrics are left out\n")
        return
    firsts: dict[tuple[Triple, ...], Item] = {}
    for item in open_source(folder):
        firsts.setdefault(item.triples, item)
    items = random.Random(0).sample(list(firsts.values()), COST_ITEMS)
    for name in COST_METRICS:
        metric = resolve([name])[name]
        warm = [replace(item, references=(item.text,)) for item in items]
        metric.score(warm[:20])
        started = time.process_time()
        metric.score(warm[20:])
        speed = (len(warm) - 20) / (time.process_time() - started)
        yield _row(f"{name}: texts per core-hour", round(3600 * speed, -3), "–", True)


_PEAK = """
import resource, sys
from adequa.cli import main
try:
    main()
finally:
    sys.stderr.write("\\n" + str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
"""


def _peak(*arguments: str) -> float:
    """The peak of a command in megabytes, as the kernel counts it."""
    command = [sys.executable, "-c", _PEAK, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    return float(ended.stderr.splitlines()[-1])


def _memory(folder: Path, sizes: Sequence[int]) -> Iterator[dict[str, object]]:
    workers, merges = [], []
    for size in sizes:
        path, out = folder / f"{size}.jsonl", folder / f"run-{size}"
        write_items(path, size)
        count = max(2, size // SHARD_ITEMS)
        shard = ["score", str(path), "-m", "esa", "--out", str(out), "--quiet", "--shard"]
        started = time.perf_counter()
        planner = _peak(*shard, f"1/{count}")
        planned = time.perf_counter() - started
        with ThreadPoolExecutor(WORKERS) as pool:
            rest = (f"{number}/{count}" for number in range(2, count + 1))
            workers.append(max(pool.map(lambda one, shard=shard: _peak(*shard, one), rest)))
        scored = time.perf_counter() - started
        merges.append(_peak("merge", str(out)))
        merged = time.perf_counter() - started - scored
        sys.stderr.write(
            f"{size:,} items, {count} shards: the first, which plans, {planned:.0f} s and "
            f"{planner:.0f} MB; all {scored:.0f} s; merge {merged:.1f} s; "
            f"run of {open_run(out).scores_path.stat().st_size / 1e6:,.0f} MB\n"
        )
        path.unlink()
        yield _row(f"first shard, which plans {size:,} items (MB)", round(planner), "–", True)
    for name, peaks in (("a worker", workers), ("merge", merges)):
        largest = f"{sizes[-1]:,} items by shards"
        yield _row(
            f"peak memory of {name}, {largest} (MB)",
            round(peaks[-1]),
            f"< {LIMIT_MB}",
            peaks[-1] < LIMIT_MB,
        )
        share = peaks[-1] / peaks[0]
        yield _row(f"the same / its peak at {sizes[0]:,}", share, f"≤ {FLAT}", share <= FLAT)


def _overhead(folder: Path, size: int) -> Iterator[dict[str, object]]:
    """Sixteen shards and their merge against one run, in seconds of the processor."""
    path = folder / "overhead.jsonl"
    write_items(path, size)
    source, metrics, count = open_source(path), resolve(["esa"]), 16
    list(map(metrics["esa"].score, [[item] for item, _ in zip(source, range(50), strict=False)]))
    plain, divided = [], []
    for turn in range(3):
        started = time.process_time()
        whole = score_run(source, metrics, folder / f"plain-{turn}")
        plain.append(time.process_time() - started)
        started = time.process_time()
        out = folder / f"divided-{turn}"
        for number in range(1, count + 1):
            score_shard(source, metrics, out, number=number, count=count)
        merged = merge_run(out)
        divided.append(time.process_time() - started)
        if merged.scores_path.read_bytes() != whole.scores_path.read_bytes():
            raise RuntimeError("the merged run has other bytes")
    share = min(divided) / min(plain) - 1
    sys.stderr.write(
        f"{size:,} items: plain {size / min(plain):,.0f}/s, shards {size / min(divided):,.0f}/s\n"
    )
    yield _row(
        f"overhead of {count} shards and merge, {size:,} items",
        share,
        f"≤ {MOST_OVERHEAD}",
        share <= MOST_OVERHEAD,
    )


def _engines(folder: Path) -> Iterator[dict[str, object]]:
    """Seconds of the clock: nothing else may run on the machine meanwhile."""
    path, size = folder / "engines.jsonl", ENGINE_ITEMS
    write_items(path, size)

    def speed(engine: Engine, name: str) -> float:
        started = time.perf_counter()
        score_run(open_source(path), {"costly": Costly()}, folder / name, engine=engine)
        return size / (time.perf_counter() - started)

    one, two = speed(LocalEngine(1), "one"), speed(LocalEngine(WORKERS), "two")
    yield _row(
        f"{WORKERS} processes / one, {size:,} items (needs {WORKERS} quiet cores)",
        two / one,
        f"≥ {LEAST_SPEEDUP}",
        two / one >= LEAST_SPEEDUP,
    )
    with _ray() as found:
        if not found:
            sys.stderr.write("scale: Ray is not installed: left out\n")
            return
        ray = speed(RayEngine(WORKERS), "ray")
    sys.stderr.write(f"texts per second: {one:.1f}, {two:.1f}, Ray {ray:.1f}\n")
    yield _row(
        f"Ray / {WORKERS} processes, {size:,} items",
        ray / two,
        f"≥ {LEAST_RAY}",
        ray / two >= LEAST_RAY,
    )


@contextlib.contextmanager
def _ray() -> Iterator[bool]:
    """A cluster that is up before the clock starts, as a user's is."""
    if importlib.util.find_spec("ray") is None:
        yield False
        return
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    options = {"num_cpus": WORKERS + 1, "include_dashboard": False, "log_to_driver": False}
    ray.init(address="local", logging_level="ERROR", **options)
    try:
        yield True
    finally:
        ray.shutdown()


def _kills(folder: Path, cycles: int) -> Iterator[dict[str, object]]:
    """Kill a shard, a worker, a driver, a merge or an actor; whoever is left must complete it."""
    path = folder / "kills.jsonl"
    write_items(path, KILL_ITEMS)
    started = time.perf_counter()
    wanted = score_run(open_source(path), resolve(["chrf"]), folder / "kills")
    seconds = time.perf_counter() - started
    lines, summary = wanted.scores_path.read_bytes(), wanted.summary_path.read_bytes()
    has_ray = importlib.util.find_spec("ray") is not None
    kinds = ["shard", "worker", "shard", "driver", "merge"] * 4 + ["actor", "ray driver"] * has_ray
    failed = dict.fromkeys(kinds, 0)
    met = dict.fromkeys(kinds, 0)
    for cycle in range(cycles):
        kind, out = kinds[cycle % len(kinds)], folder / f"killed-{cycle}"
        met[kind] += _disturb(kind, path, out, random.Random(cycle), seconds)
        run = open_run(out)
        is_same = (run.scores_path.read_bytes(), run.summary_path.read_bytes()) == (lines, summary)
        failed[kind] += not is_same
        sys.stderr.write(f"\rkill {cycle + 1:,} of {cycles:,}")
    sys.stderr.write("\n")
    counts = ", ".join(f"{kind} {count}" for kind, count in met.items())
    total = sum(failed.values())
    yield _row(
        f"other bytes after {cycles:,} kills (met work in progress: {counts})",
        total,
        "0",
        total == 0,
    )


_COMMAND = [sys.executable, "-c", "from adequa.cli import main; main()"]


def _disturb(kind: str, path: Path, out: Path, chance: random.Random, seconds: float) -> bool:
    """Score a file into a run whose processes are killed, until it is complete."""
    score = ["score", str(path), "-m", "chrf", "--out", str(out), "--batch-size", "20", "--quiet"]
    if kind in ("shard", "merge"):
        count = chance.randrange(2, 6)
        shards = [[*score, "--shard", f"{number}/{count}"] for number in range(1, count + 1)]
        killed = _start(shards[chance.randrange(count)])
        is_met = kind == "shard" and _kill(killed, [killed.pid], chance.uniform(0.3, 1 + seconds))
        for process in [_start(shard) for shard in shards]:  # all at once; one of them twice
            _end(process)
        _end(killed, codes=(0, -signal.SIGKILL))
        if kind == "merge":
            merge = _start(["merge", str(out)])
            is_met = _kill(merge, [merge.pid], chance.uniform(0.1, 1.2))
        _end(_start(["merge", str(out)]))
        return is_met
    jobs = ["--jobs", "2", *(["--engine", "ray"] if kind in ("actor", "ray driver") else [])]
    driver = _start([*score, *jobs])
    start_up = 6.0 if "--engine" in jobs else 1.0
    time.sleep(chance.uniform(0.2, start_up + seconds))
    victims = [driver.pid]
    if kind in ("worker", "actor"):
        mark = b"spawn_main" if kind == "worker" else b"_RayScorer"
        victims = [pid for pid, line in _descendants(driver.pid).items() if mark in line][:1]
    is_met = _kill(driver, victims, 0)
    _end(driver, codes=(0, 2, -signal.SIGKILL))
    _end(_start([*score, "--jobs", "2", "--resume"]))
    return is_met


def _start(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    command = [*_COMMAND, *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _end(process: subprocess.Popen[bytes], codes: Sequence[int] = (0,)) -> None:
    _, said = process.communicate(timeout=300)
    if process.returncode not in codes:
        raise RuntimeError(f"exit code {process.returncode}: {said.decode()[-2000:]}")


def _kill(process: subprocess.Popen[bytes], victims: Sequence[int], after: float) -> bool:
    """Kill processes; whether they were still at work."""
    time.sleep(after)
    if process.poll() is not None or not victims:
        return False
    for pid in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return True


def _descendants(pid: int) -> Mapping[int, bytes]:
    """The processes that a process started, and those that they started, with their commands."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
    found: dict[int, bytes] = {}
    for one in parents:
        above = one
        while above in parents and above != pid:
            above = parents[above]
        if above == pid and one != pid:
            with contextlib.suppress(OSError):
                found[one] = Path(f"/proc/{one}/cmdline").read_bytes()
    return found

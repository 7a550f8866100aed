"""The recipes for clusters, as far as one machine can run them; Ray, with a node that is lost."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.run import Run, merge_run, open_run, score_run

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "recipes"
ItemsFile = Callable[[int], Path]

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")


@pytest.fixture
def whole(items_file: ItemsFile, tmp_path: Path) -> tuple[Path, Run]:
    path = items_file(200)
    return path, score_run(open_source(path), resolve(["esa"]), tmp_path / "whole")


def require_same(run: Run, whole: Run) -> None:
    assert run.scores_path.read_bytes() == whole.scores_path.read_bytes()
    assert run.summary_path.read_bytes() == whole.summary_path.read_bytes()


@pytest.fixture
def commands(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """An environment in which `adequa`, and whatever is given, are commands."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def make(**scripts: str) -> dict[str, str]:
        code = "from adequa.cli import main; main()"
        scripts["adequa"] = f'exec {shlex.quote(sys.executable)} -c {shlex.quote(code)} "$@"'
        for name, script in scripts.items():
            (folder / name).write_text(f"#!/bin/bash\n{script}\n")
            (folder / name).chmod(0o755)
        paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        return {
            **os.environ,
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "HOME": str(tmp_path),
            # This machine may have no core to spare.
            "RAY_raylet_start_wait_time_s": "300",
            "RAY_worker_register_timeout_seconds": "300",
        }

    return make


SBATCH = """
array=1-1
while [ $# -gt 0 ]; do case "$1" in
  --array=*) array="${1#*=}"; shift;;
  --wrap) eval "$2"; exit;;
  --*) shift;;
  *) script="$1"; shift;;
esac; done
for id in $(seq "${array%-*}" "${array#*-}"); do
  SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_COUNT=${array#*-} bash "$script" >&2 &
done
wait
echo 17
"""


def test_a_slurm_array(
    whole: tuple[Path, Run], tmp_path: Path, commands: Callable[..., dict[str, str]]
) -> None:
    path, wanted = whole
    script = RECIPES / "slurm.sh"
    comment = [line[4:] for line in script.read_text().splitlines() if line.startswith("#   ")]
    submit = "\n".join(comment).replace("--array=1-16", "--array=1-3")
    submit = submit.replace("/shared/items.jsonl", str(path)).replace("/shared/run", "run")
    subprocess.run(
        ["bash", "-euc", submit.replace("slurm.sh", str(script))],
        env=commands(sbatch=SBATCH),
        cwd=tmp_path,
        check=True,
        timeout=300,
    )
    require_same(open_run(tmp_path / "run"), wanted)


def test_an_indexed_job_of_kubernetes(
    whole: tuple[Path, Run], tmp_path: Path, commands: Callable[..., dict[str, str]]
) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    path, wanted = whole
    job = yaml.safe_load((RECIPES / "kubernetes.yaml").read_text())["spec"]
    assert job["completionMode"] == "Indexed"
    container = job["template"]["spec"]["containers"][0]
    (order,) = container["args"]
    assert f"/{job['completions']}" in order
    order = order.replace("/shared/items.jsonl", str(path)).replace("/shared/run", "run")
    order = order.replace(f"/{job['completions']}", "/2")
    for index in ("1", "0", "1"):
        environment = {**commands(), "JOB_COMPLETION_INDEX": index}
        command = [*container["command"], order]
        subprocess.run(command, env=environment, cwd=tmp_path, check=True, timeout=300)
    require_same(merge_run(tmp_path / "run"), wanted)


@needs_ray
def test_a_job_of_ray(
    whole: tuple[Path, Run], tmp_path: Path, commands: Callable[..., dict[str, str]]
) -> None:
    path, wanted = whole
    fake = 'shift 3; exec "$@"'  # `ray job submit --` runs the rest on the cluster
    environment = {**commands(ray=fake), "INPUT": str(path), "RUN": "run", "JOBS": "2"}
    script = str(RECIPES / "ray-job.sh")
    ended = subprocess.run(
        ["bash", script],
        env=environment,
        cwd=tmp_path,
        timeout=500,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    require_same(open_run(tmp_path / "run"), wanted)
    assert not (tmp_path / ".ray").exists()  # no token is left behind


TWO_NODES = """
import sys, threading, time
from pathlib import Path
from ray.cluster_utils import Cluster
from adequa.readers import open_source
from adequa.run import RayEngine, score_run
from tests.run.test_engines import Paced

if __name__ == "__main__":
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    lost = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes(timeout=300)
    out = Path(sys.argv[2])

    def lose() -> None:
        while not len(list(out.glob("shards/*.jsonl"))) > 2:
            time.sleep(0.05)
        cluster.remove_node(lost, allow_graceful=False)
        print("lost a node", flush=True)

    threading.Thread(target=lose, daemon=True).start()
    engine = RayEngine(3, cluster.address)
    source = open_source(sys.argv[1])
    score_run(source, {"p": Paced(0.05)}, out, engine=engine, batch_size=5)
    cluster.shutdown()
"""


@needs_ray
def test_a_node_of_ray_is_lost(
    items_file: ItemsFile, tmp_path: Path, commands: Callable[..., dict[str, str]]
) -> None:
    path, script = items_file(600), tmp_path / "nodes.py"
    script.write_text(TWO_NODES)
    command = [sys.executable, str(script), str(path), str(tmp_path / "run")]
    ended = subprocess.run(
        command,
        env=commands(),
        cwd=tmp_path,
        timeout=580,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "lost a node" in ended.stdout
    from tests.run.test_engines import Paced

    whole = score_run(open_source(path), {"p": Paced()}, tmp_path / "whole")
    require_same(open_run(tmp_path / "run"), whole)


def test_ray_is_an_extra(
    items_file: ItemsFile, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ray", None)
        options = ["-m", "chrf", "--engine", "ray", "--out", str(tmp_path / "run")]
        code, _, said = command("score", str(items_file(5)), *options)
    assert code == 2
    assert "pip install 'adequa[ray]'" in said
    code, _, said = command("score", "x.jsonl", "--out", "run", "--address", "auto")
    assert code == 2
    assert "give --engine ray too" in said

"""Wheel, sdist and container: what is in them, and that the image's command line serves.

No container engine is needed: the files are parsed, and the image's own command runs in a process.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from adequa import __version__
from adequa.cli import app
from adequa.data import Item, Triple
from adequa.metrics import load_metric
from adequa.models.shipped import versions, weights

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = "adequa/models/weights"
LICENCES = {"LICENSE", "src/adequa/sample/LICENSE"}


@pytest.fixture(scope="module")
def builder() -> Any:
    module = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")
    return module.WheelBuilder(str(ROOT))


@pytest.fixture(scope="module")
def files(builder: Any) -> set[str]:
    """The paths in the wheel, without building it."""
    return {Path(one.distribution_path).as_posix() for one in builder.recurse_included_files()}


def test_the_package_the_sample_and_its_licences(builder: Any, files: set[str]) -> None:
    assert {"adequa/__init__.py", "adequa/sample/items.jsonl", "adequa/py.typed"} <= files
    assert set(builder.metadata.core.license_files) >= LICENCES
    assert not [name for name in files if not name.startswith("adequa/")]


def test_the_weights_and_their_licence(builder: Any, files: set[str]) -> None:
    assert versions()
    assert f"{WEIGHTS}/LICENSE.md" in files
    for version in versions():
        named = weights(version).manifest["files"]
        assert {f"{WEIGHTS}/{version}/{name}" for name in (*named, "manifest.json")} <= files
    assert f"src/{WEIGHTS}/LICENSE.md" in builder.metadata.core.license_files
    assert "CC-BY-NC-SA-4.0" in builder.metadata.core.license_expression
    assert "MIT" in builder.metadata.core.license_expression


def test_the_licence_of_the_weights_is_shown() -> None:
    said = (ROOT / "src" / WEIGHTS / "LICENSE.md").read_text(encoding="utf-8")
    for name in ("CC BY-NC-SA 4.0", "Apache-2.0", "WebNLG", "DART", "MIT"):
        assert name in said
    assert "SPDX-License-Identifier: CC-BY-NC-SA-4.0" in said


OPEN = ROOT / "weights-open"


def test_the_open_weights_are_a_package_without_non_commercial_data() -> None:
    module = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")
    builder = module.WheelBuilder(str(OPEN))
    files = {Path(one.distribution_path).as_posix() for one in builder.recurse_included_files()}
    found = weights(str(OPEN / "adequa_open"))
    assert found.version == "open"
    assert {f"adequa_open/{name}" for name in (*found.manifest["files"], "manifest.json")} <= files
    assert builder.metadata.core.entry_points == {"adequa.weights": {"open": "adequa_open"}}
    assert builder.metadata.core.license_expression == "CC-BY-SA-4.0"
    assert {"encoder", "verifier", "relations"} <= found.models.keys()
    for name, card in found.models.items():
        said = json.dumps([card["licence"], card["data"]])
        assert not re.search(r"BY-NC|webnlg|sick|\brte\b", said, re.IGNORECASE), name
    for name in found.manifest["files"]:
        found.path(name)  # as the manifest has it
    assert sum(one["size"] for one in found.manifest["files"].values()) < 80e6


def test_the_open_weights_notice_a_missing_fact_and_a_wrong_relation() -> None:
    nli = load_metric("nli", weights=str(OPEN / "adequa_open"))
    data = (Triple("Norn Castle", "architect", "Ada Verne"), Triple("Norn Castle", "owner", "Vex"))
    texts = (
        "Norn Castle was designed by the architect Ada Verne and is owned by Vex.",
        "Norn Castle was designed by the architect Ada Verne.",
        "Norn Castle was designed by the architect Vex and is owned by Ada Verne.",
    )
    right, *wrong = nli.score([Item(str(n), data, text) for n, text in enumerate(texts)])
    assert right.verdict == "OK"
    assert [one.verdict != "OK" for one in wrong] == [True, True]


def project() -> dict[str, Any]:
    module = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
    loaded: dict[str, Any] = module.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return loaded


def test_one_oldest_python_everywhere() -> None:
    settings = project()
    assert settings["project"]["requires-python"] == ">=3.10"
    assert settings["tool"]["ruff"]["target-version"] == "py310"
    assert settings["tool"]["mypy"]["python_version"] == "3.10"
    for minor in range(10, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in settings["project"]["classifiers"]
    for file in (ROOT / "src").rglob("*.py"):
        ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 10))


def test_the_sdist_has_what_its_own_build_and_tests_need() -> None:
    module = pytest.importorskip("hatchling.builders.sdist", reason="hatchling is not installed")
    builder = module.SdistBuilder(str(ROOT))
    included = [Path(file.path) for file in builder.recurse_included_files()]
    files = {path.relative_to(ROOT).as_posix() for path in included}
    for name in (
        *("src/adequa/__init__.py", "tests/conftest.py", "docs/index.md", "Makefile", "LICENSE"),
        *("Dockerfile", "compose.yaml", "mkdocs.yml", "CHANGELOG.md", "action.yml"),
    ):
        assert name in files, name


def test_the_newest_changes_are_those_of_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changes, re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__


def test_no_file_promises_a_published_package() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), ROOT / "Dockerfile"]
    pages += [*(ROOT / "docs" / "recipes").iterdir(), ROOT / "compose.yaml", ROOT / "action.yml"]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"pip install (?:[^`\n]* )?'?adequa\b", text) == [], page.name


TOKEN = "/run/secrets/adequa-token"
INSTRUCTION = re.compile(r"^([A-Z]+)\s+((?:.*\\\n)*.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def image() -> list[tuple[str, str]]:
    """The instructions of the last stage of the Dockerfile, with their arguments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    last = text[text.rindex("\nFROM ") :]
    return [(name, given.replace("\\\n", " ")) for name, given in INSTRUCTION.findall(last)]


def one(image: list[tuple[str, str]], name: str) -> str:
    (found,) = (given for instruction, given in image if instruction == name)
    return found


def test_the_image_copies_what_there_is_and_installs_known_extras() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for given in re.findall(r"^COPY (?!--)(.*)$", text, re.MULTILINE):
        for name in given.split()[:-1]:
            assert (ROOT / name).exists(), name
            assert f"!{name}" in ignored, name
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", text)
    assert set(extras.split(",")) <= set(project()["project"]["optional-dependencies"])
    assert {"readme", "license-files"} <= set(project()["project"])
    assert "://" not in text.replace("http://127.0.0.1:8080", "")


def test_the_image_is_without_rights_and_writes_to_its_volume_only(image: Any) -> None:
    user, _, group = one(image, "USER").partition(":")
    assert int(user) > 0
    assert int(group) > 0
    assert f"--uid {user}" in one(image, "RUN")
    volume = one(image, "VOLUME")
    assert one(image, "WORKDIR") == volume
    command = json.loads(one(image, "CMD"))
    assert command[command.index("--folder") + 1].startswith(f"{volume}/")
    assert f"ADEQUA_CACHE={volume}/" in one(image, "ENV")
    assert f":{one(image, 'EXPOSE')}/v1/health" in one(image, "HEALTHCHECK")
    assert command[command.index("--port") + 1] == one(image, "EXPOSE")


@pytest.fixture
def served(image: Any, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The command of the image in a process; gives what stands for the image's port and token."""
    pytest.importorskip("uvicorn", reason="the web extra is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    inside = one(image, "EXPOSE")
    token = tmp_path / "token"
    token.write_text("0123456789abcdef" * 4 + "\n")
    places = {inside: port, TOKEN: str(token)}
    words = [*json.loads(one(image, "ENTRYPOINT")), *json.loads(one(image, "CMD"))]
    assert words[0] == "adequa"
    words = [places.get(word, word.replace("/data", str(tmp_path))) for word in words[1:]]
    server = subprocess.Popen(
        [sys.executable, "-m", "adequa", *words],
        env={**os.environ, "ADEQUA_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield {f":{inside}/": f":{port}/", TOKEN: str(token)}
    finally:
        server.terminate()
        server.wait(30)


def test_the_command_of_the_image_serves_and_is_healthy(image: Any, served: dict[str, str]) -> None:
    """The health check of the image fails until the server is there, and then does not."""
    program, option, code = json.loads(one(image, "HEALTHCHECK").partition("CMD ")[2])
    assert (program, option) == ("python", "-c")
    for inside, here in served.items():
        assert inside in code
        code = code.replace(inside, here)
    command = [sys.executable, "-c", code]
    codes, ends = set(), time.monotonic() + 600
    while 0 not in codes and time.monotonic() < ends:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        codes.add(done.returncode)
        assert "HTTPError" not in done.stderr, done.stderr
        time.sleep(1)
    assert codes == {0, 1}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    loaded = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert loaded["secrets"].keys() == {"adequa-token"}
    named = {volume for one in loaded["services"].values() for volume in one["volumes"]}
    assert {volume.partition(":")[0] for volume in named} == loaded["volumes"].keys()
    found: dict[str, Any] = loaded["services"]
    return found


def test_services_have_read_only_roots_and_open_on_this_machine_only(services: Any) -> None:
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert "/tmp" in service["tmpfs"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
    for name in ("workbench", "campaign"):
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["volumes"] == ["data:/data"]


def test_the_campaign_command_has_known_options_and_the_database_there(services: Any) -> None:
    words = services["campaign"]["command"]
    command = get_command(app).commands["human"].commands["serve"]  # type: ignore[attr-defined]
    context = command.make_context("serve", words[2:])
    given = context.params
    assert words[:2] == ["human", "serve"]
    assert str(given["campaign"]) == "/data/campaign"
    assert services["campaign"]["ports"] == [f"127.0.0.1:{given['port']}:{given['port']}"]
    settings = services["database"]["environment"]
    user, database = settings["POSTGRES_USER"], settings["POSTGRES_DB"]
    assert given["database"] == f"postgresql://{user}@database/{database}"
    assert services["campaign"]["environment"]["PGPASSWORD"] == settings["POSTGRES_PASSWORD"]
    assert "database" in services["campaign"]["depends_on"]
    port = f"127.0.0.1', {given['port']}"
    assert any(port in word for word in services["campaign"]["healthcheck"]["test"])
    assert shlex.join(words).isascii()

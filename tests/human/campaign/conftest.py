"""Campaigns to try, and a PostgreSQL server where the machine has one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adequa.data import Item, Triple
from adequa.human.campaign.model import AnswerChoice, Campaign, Question, SampledText
from adequa.human.campaign.settings import write_campaign

ROOT = str(Path(__file__).resolve().parents[3])
if ROOT not in sys.path:
    sys.path.append(ROOT)  # the benches know how to start a server

QUESTION = Question("sense", "Does it?", "choice", (AnswerChoice(1, "no"), AnswerChoice(2, "yes")))


def sample(inputs: int, systems: int, tasks: int = 1, cells: int = 2) -> list[SampledText]:
    """Every system's text of every input; the last input's text of the first system is empty."""
    return [
        SampledText(
            Item(
                f"Id{number}",
                (Triple(f"Ferry_{number}", "port", "Oban"),),
                "" if number == inputs - 1 and system == 0 else f"Ferry {number} is at Oban.",
                f"S{system}",
            ),
            task=f"task {number % tasks}",
            cell={"size": str(number % cells)},
        )
        for number in range(inputs)
        for system in range(systems)
    ]


@pytest.fixture
def make_campaign(tmp_path: Path) -> Callable[..., Path]:
    """Writes a campaign into a folder; keywords are fields of Campaign."""

    def make(texts: list[SampledText], **fields: object) -> Path:
        settings: dict[str, object] = {"questions": (QUESTION,), **fields}
        folder = tmp_path / f"campaign-{len(list(tmp_path.iterdir()))}"
        write_campaign(folder, Campaign("ferries", "Ferries", **settings), texts)  # type: ignore[arg-type]
        return folder

    return make


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server: ADEQUA_TEST_POSTGRES, or one started from the binaries."""
    pytest.importorskip(
        "psycopg", reason="psycopg is not installed: pip install 'adequa[postgres]'"
    )
    given = os.environ.get("ADEQUA_TEST_POSTGRES")
    if given:
        yield given
        return
    from bench.postgres import binaries, server

    folder = binaries()
    if folder is None:
        pytest.skip("there is no PostgreSQL here; set ADEQUA_TEST_POSTGRES to a server's address")
    try:
        with server(folder, "fsync=off") as address:
            yield address
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"PostgreSQL does not start here ({error})")


@pytest.fixture
def postgres(postgres_server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty database."""
    import psycopg

    name = f"adequa_test_{os.getpid()}_{abs(hash(request.node.nodeid)) % 10**8}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield postgres_server.rsplit("/", 1)[0] + "/" + name
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str | None:
    """None for the file in the folder, else an address: a test that takes this runs on both."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres")

"""The command line as a user calls it, for the commands of research."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from adequa.cli import main


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs `adequa` with arguments; returns the exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run

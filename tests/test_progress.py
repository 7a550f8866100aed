"""Progress on a stream that is not a terminal."""

from __future__ import annotations

import pytest

from adequa.progress import progress_bar


def test_long_work_shows_a_sign_of_life(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 1.0, 11.0, 12.0, 13.0])
    monkeypatch.setattr("adequa.progress.time.monotonic", lambda: next(seconds))
    with progress_bar("scoring") as progress:
        for done in (1, 2, 3, 100):
            progress(done, 1000)
    # The second after eleven seconds, the last because it is a tenth.
    assert capsys.readouterr().err == "scoring: 2 of 1,000\nscoring: 100 of 1,000\n"

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


def test_a_notebook_has_a_bar_that_is_updated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel of Jupyter is recognised by the class of its shell."""
    import sys
    from types import ModuleType

    import adequa
    from adequa.progress import in_notebook

    shown: list[str] = []

    class Handle:
        def update(self, page: str) -> None:
            shown.append(page)

    def display(page: str, *, display_id: bool) -> Handle:
        shown.append(page)
        return Handle()

    shell = type("ZMQInteractiveShell", (), {})()
    ipython, module = ModuleType("IPython"), ModuleType("IPython.display")
    module.__dict__.update(display=display, HTML=str)
    ipython.__dict__.update(display=module, get_ipython=lambda: shell)
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert in_notebook()
    items = [{"triples": [["A", "b", "C"]], "text": "A b C."}] * 3
    items = [{**item, "id": str(number)} for number, item in enumerate(items)]
    assert len(adequa.evaluate(items, metrics=["esa"])) == 3
    assert shown[0] == "scoring…"
    assert shown[-1].endswith("3 of 3")
    assert '<progress value="3" max="3">' in shown[-1]
    before = len(shown)
    adequa.evaluate(items, metrics=["esa"], progress=False)
    assert len(shown) == before

"""The figures of the papers, drawn with matplotlib (extra `papers`) and returned as SVG.

A section keeps a figure as a function that draws it, so that matplotlib is loaded only when figures
are written. The same values give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from adequa.errors import MissingExtra

Points = Sequence[tuple[float, float]]

_COLOURS = ("#1f5fa8", "#b0563b", "#3f7d4e", "#7a5aa6", "#8a7326", "#4b8a92")
_WIDTH = 8.0
_BINS = 40
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "adequa",  # ids do not change from run to run
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.parse_math": False,  # names may have a dollar sign
}


class Bar(NamedTuple):
    """A row of a bar chart, with its interval if there is one."""

    name: str
    value: float
    interval: tuple[float, float] | None = None


class _Canvas:
    """A figure with its axes, and the SVG that is drawn of it."""

    svg = ""

    def __init__(self, figure: Any, axes: list[Any]) -> None:
        self.figure, self.axes = figure, axes


@contextmanager
def _canvas(
    title: str, *, height: float, rows: int = 1, columns: int = 1, **settings: Any
) -> Iterator[_Canvas]:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("papers", "matplotlib") from None
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes = figure.subplots(max(1, rows), max(1, columns), squeeze=False, **settings)
        canvas = _Canvas(figure, list(axes.flat))
        figure.suptitle(title)
        yield canvas
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Title": title})
        canvas.svg = stream.getvalue()


def histograms(series: Mapping[str, Sequence[float]], title: str, axis: str) -> str:
    """One histogram per series, below one another over one axis."""
    everything = [value for values in series.values() for value in values] or [0.0]
    bins = np.histogram_bin_edges(everything, _BINS)
    with _canvas(title, height=1 + len(series), rows=len(series), sharex=True) as canvas:
        for number, (axes, (name, values)) in enumerate(
            zip(canvas.axes, series.items(), strict=False)
        ):
            axes.hist(values, bins, color=_COLOURS[number % len(_COLOURS)], gid="histogram")
            axes.set_ylabel(f"{name} ({len(values):,})", rotation=0, ha="right")
            axes.set_yticks([])
        canvas.axes[-1].set_xlabel(axis)
    return canvas.svg


def violins(series: Mapping[str, Sequence[float]], title: str, axis: str) -> str:
    """One horizontal violin per series, with its median, and zero marked."""
    with _canvas(title, height=1 + len(series)) as canvas:
        (axes,) = canvas.axes
        axes.axvline(0, color="black", linewidth=1)
        labels = []
        for place, (name, values) in enumerate(series.items()):
            # The density of a single value cannot be estimated; it is drawn as its median alone.
            if len(set(values)) > 1:
                drawn = axes.violinplot(
                    values,
                    [place],
                    orientation="horizontal",
                    widths=0.8,
                    showmedians=True,
                    showextrema=False,
                )
                for body in drawn["bodies"]:
                    body.set(facecolor=_COLOURS[place % len(_COLOURS)], alpha=0.75, gid="violin")
            else:
                axes.plot([values[0]], [place], "|", color="black", markersize=12)
            share = sum(value <= 0 for value in values) / len(values)
            labels.append(f"{name}\n{share:.1%} not above 0")
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.set_xlabel(axis)
    return canvas.svg


def bars(panels: Mapping[str, Sequence[Bar]], title: str) -> str:
    """Panels below one another, one bar per row with its value and its interval."""
    lengths = [max(1, len(rows)) for rows in panels.values()] or [1]
    with _canvas(
        title,
        height=1 + sum(0.5 + 0.25 * length for length in lengths),
        rows=len(panels),
        sharex=True,
        gridspec_kw={"height_ratios": lengths},
    ) as canvas:
        for number, (axes, (name, rows)) in enumerate(
            zip(canvas.axes, panels.items(), strict=False)
        ):
            for place, bar in enumerate(rows):
                axes.barh(
                    place, bar.value, height=0.7, color=_COLOURS[number % len(_COLOURS)], gid="bar"
                )
                if bar.interval is not None:
                    axes.plot(bar.interval, (place, place), color="black", linewidth=1)
            axes.set_yticks(
                range(len(rows)), [f"{_shortened(bar.name)}  {bar.value:.2f}" for bar in rows]
            )
            axes.invert_yaxis()
            axes.set_title(name, loc="left")
    return canvas.svg


def scatter(panels: Mapping[str, Points], title: str, axis: str) -> str:
    """Panels side by side with one dot per pair, over the same horizontal axis."""
    with _canvas(title, height=5, columns=len(panels), sharex=True) as canvas:
        for number, (axes, (name, points)) in enumerate(
            zip(canvas.axes, panels.items(), strict=False)
        ):
            axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                "o",
                color=_COLOURS[number % len(_COLOURS)],
                alpha=0.45,
                markersize=4,
                gid=f"dots-{number}",
            )
            axes.set_title(name)
            axes.set_xlabel(axis)
    return canvas.svg


def rank_plot(
    ours: Mapping[str, tuple[int, int]],
    theirs: Mapping[str, tuple[int, int]],
    names: Mapping[str, str],
    title: str,
) -> str:
    """Systems by two ranks, the best at the top right: ours as dots, the paper's as rings.

    `ours` and `theirs` have the ranks by entities and by BLEU, `names` the labels by system.
    """
    half = len(ours) // 2 + 0.5  # of an odd number of systems the better half is smaller
    with _canvas(title, height=_WIDTH) as canvas:
        (axes,) = canvas.axes
        axes.axvline(half, color="black", linewidth=1)
        axes.axhline(half, color="black", linewidth=1)
        for system, place in ours.items():
            axes.plot(*zip(place, theirs[system], strict=True), color="#c8c8c8", linewidth=1)
            axes.annotate(names[system], place, xytext=(6, 6), textcoords="offset points")
        for values, style, label, gid in (
            (theirs, {"mfc": "none", "mec": _COLOURS[1]}, "the paper's Table 1", "paper"),
            (ours, {"color": _COLOURS[0]}, "adequa", "ours"),
        ):
            axes.plot(
                *zip(*values.values(), strict=True),
                "o",
                label=label,
                gid=gid,
                clip_on=False,
                **style,
            )
        axes.set_xlim(len(ours) + 0.5, 0.5)
        axes.set_ylim(len(ours) + 0.5, 0.5)
        axes.set_xlabel("rank by ESI¹ (more adequate →)")
        axes.set_ylabel("rank by BLEU (higher →)")
        canvas.figure.legend(loc="outside lower center", ncols=2)  # it would hide a weak system
    return canvas.svg


def _shortened(name: str, most: int = 44) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"

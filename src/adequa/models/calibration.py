"""Calibrated probabilities from logits, by the file of `adequa train calibrate`.

Log-odds are a line over the logit (Platt) or interpolated between points (isotonic). A group of
cases, such as those of one predicate, may have another line on top of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from adequa.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_FURTHEST = 30.0
"""Beyond these log-odds a probability is 0 or 1 to all digits shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """Log-odds from a value: slope times value plus offset."""

    slope: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Calibration:
    """A map from logits to probabilities: a line, or points with rising logits."""

    line: Line = Line()
    points: Sequence[tuple[float, float]] = ()
    """Logits and their log-odds, interpolated linearly."""
    groups: Mapping[str, Line] = field(default_factory=dict)
    """By group, a line from the common log-odds to the group's."""

    def probabilities(
        self, logits: npt.ArrayLike, groups: Sequence[str] | None = None
    ) -> npt.NDArray[np.float64]:
        """A probability for each logit; an unknown group is treated like all cases.

        >>> Calibration(Line(2.0, 0.0)).probabilities([0.0]).tolist()
        [0.5]
        """
        import numpy as np

        values = np.asarray(logits, dtype=np.float64)
        odds = self._odds(values)
        if groups is not None and self.groups:
            lines = [self.groups.get(group, Line()) for group in groups]
            slopes = np.array([line.slope for line in lines])
            odds = odds * slopes + np.array([line.offset for line in lines])
        chances: npt.NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(odds, -_FURTHEST, _FURTHEST)))
        return chances

    def _odds(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        if not self.points:
            return values * self.line.slope + self.line.offset
        places, odds = (
            np.array(column, dtype=np.float64) for column in zip(*self.points, strict=True)
        )
        found: npt.NDArray[np.float64] = np.interp(values, places, odds)
        return found

    def as_object(self) -> dict[str, Any]:
        """The calibration as a JSON object."""
        whole: dict[str, Any] = (
            {"method": "isotonic", "points": [list(point) for point in self.points]}
            if self.points
            else {"method": "platt", **_plain(self.line)}
        )
        groups = {name: _plain(line) for name, line in self.groups.items()}
        return {**whole, "groups": groups} if groups else whole

    @classmethod
    def from_object(cls, raw: Any) -> Calibration:
        """The calibration of a JSON object; raises DataError for anything else."""
        try:
            groups = {name: _line(line) for name, line in raw.get("groups", {}).items()}
            if raw["method"] == "isotonic":
                return cls(points=_points(raw["points"]), groups=groups)
            if raw["method"] == "platt":
                return cls(line=_line(raw), groups=groups)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"is not a calibration ({error!r})", remedy="write one with adequa train calibrate"
            ) from None
        raise DataError(f"a calibration is platt or isotonic, not {raw['method']!r}")


def _plain(line: Line) -> dict[str, float]:
    return {"slope": round(line.slope, 6), "offset": round(line.offset, 6)}


def _points(raw: Any) -> tuple[tuple[float, float], ...]:
    points = tuple((float(logit), float(odds)) for logit, odds in raw)
    if not points or any(one[0] >= other[0] for one, other in pairwise(points)):
        raise ValueError("the logits of its points do not rise")
    return points


def _line(raw: Any) -> Line:
    return Line(float(raw["slope"]), float(raw["offset"]))

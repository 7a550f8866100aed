"""The doctor: which faults a metric sees, tested on texts and data changed in known ways."""

from adequa.analysis.doctor.examination import (
    TOGETHER,
    Advice,
    Examination,
    LabelledText,
    MissedCase,
    Share,
    advise,
    examine,
    missed_cases,
    read_labels,
    score_all,
)
from adequa.analysis.doctor.presentation import (
    FORMATS,
    conclusions,
    doctor_pictures,
    doctor_tables,
    render,
    to_object,
)

__all__ = ["FORMATS", "TOGETHER", "Advice", "Examination", "LabelledText", "MissedCase", "Share"]
__all__ += ["advise", "conclusions", "doctor_pictures", "doctor_tables", "examine", "missed_cases"]
__all__ += ["read_labels", "render", "score_all", "to_object"]

"""Statistics as pure functions on arrays; they know nothing of metrics, runs or raters."""

from adequa.stats.agreement import (
    Agreement,
    Ratings,
    TextMarks,
    cohen_kappas,
    fleiss_kappa,
    gamma_agreement,
    krippendorff_alpha,
    percent_agreement,
)
from adequa.stats.correlations import (
    COEFFICIENTS,
    Correlation,
    cluster_counts,
    cluster_draws,
    complete_pairs,
    kendall,
    pairwise_accuracy,
    pearson,
    permute_both,
    resampled_correlations,
    resampled_kendall,
    resampled_pearson,
    rowwise_correlations,
    soft_pairwise_accuracy,
    spearman,
    williams,
)
from adequa.stats.resampling import (
    Aggregate,
    ExactSum,
    Interval,
    Moments,
    bootstrap_interval,
    bootstrap_p,
    bootstrap_totals,
    bounded,
    mean_of,
    percentile_interval,
    randomisation_p,
    require_draws,
    rowwise,
    student_interval,
    swapped_totals,
    wilson_interval,
    win_share,
)
from adequa.stats.significance import (
    CORRECTION_NOTES,
    CORRECTIONS,
    RankTest,
    adjust,
    area_under_curve,
    cliffs_delta,
    magnitude_of_d,
    paired_d,
    rank_sum,
    resampled_areas,
    signed_rank,
    significance_letters,
    superiority,
)

__all__ = ["COEFFICIENTS", "CORRECTIONS", "CORRECTION_NOTES", "Aggregate", "Agreement"]
__all__ += ["Correlation", "ExactSum", "Interval", "Moments", "RankTest", "Ratings", "TextMarks"]
__all__ += ["adjust", "area_under_curve"]
__all__ += ["bootstrap_interval", "bootstrap_p", "bootstrap_totals", "bounded", "cliffs_delta"]
__all__ += ["cluster_counts", "cluster_draws", "cohen_kappas", "complete_pairs", "fleiss_kappa"]
__all__ += ["gamma_agreement", "kendall", "krippendorff_alpha", "magnitude_of_d", "mean_of"]
__all__ += ["paired_d", "pairwise_accuracy", "pearson", "percent_agreement", "percentile_interval"]
__all__ += ["permute_both", "randomisation_p", "rank_sum", "require_draws"]
__all__ += ["resampled_areas", "resampled_correlations", "resampled_kendall", "resampled_pearson"]
__all__ += ["rowwise"]
__all__ += ["rowwise_correlations", "signed_rank", "significance_letters", "soft_pairwise_accuracy"]
__all__ += ["spearman", "student_interval", "superiority", "swapped_totals", "williams"]
__all__ += ["wilson_interval", "win_share"]

"""Sampling: which texts people are asked about, and the plan of a campaign for them."""

from adequa.human.sampling.plan import (
    campaign_name,
    make_campaign,
    needs,
    paired_texts,
    render_sample,
    require_new_folder,
    require_symmetric,
    sample_to_object,
    sampled_texts,
    with_controls,
)
from adequa.human.sampling.sample import (
    Pool,
    Sample,
    choose_score,
    draw_sample,
    level_names,
    matching,
    of_systems,
    pool_texts,
    task_namer,
    with_references,
    with_scores,
)

__all__ = ["Pool", "Sample"]
__all__ += ["campaign_name", "choose_score", "draw_sample", "level_names", "make_campaign"]
__all__ += ["matching", "needs", "of_systems", "pool_texts", "render_sample", "require_new_folder"]
__all__ += ["paired_texts", "require_symmetric"]
__all__ += ["sample_to_object", "sampled_texts", "task_namer", "with_controls", "with_references"]
__all__ += ["with_scores"]

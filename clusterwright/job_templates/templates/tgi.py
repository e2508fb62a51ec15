"""Serving with Text Generation Inference: refused, because it is archived."""

from __future__ import annotations

from clusterwright.job_templates.template import JobTemplate

TEMPLATE = JobTemplate(
    name="tgi",
    title="Serving with Text Generation Inference",
    family="serving",
    about="Named only to say why it is not offered.",
    runs_on="nvidia",
    source="aws-solutions-library-samples/global-capacity-orchestrator-on-aws, pull request 387, "
    "of 2026-09-18",
    unavailable="Hugging Face archived it on 2026-03-21, after maintenance only since 2025-12-11: "
    "render vllm",
)

"""Serving with Triton Inference Server: refused, because no image and no job of it was made."""

from __future__ import annotations

from clusterwright.job_templates.template import JobTemplate

TEMPLATE = JobTemplate(
    name="triton",
    title="Serving with Triton Inference Server",
    family="serving",
    about="Named only to say why it is not offered.",
    runs_on="nvidia",
    source="the images of `render images`",
    unavailable="`render images` has no image of it, and its server was tried with no job: "
    "render vllm",
)

"""Serving does not use Text Generation Inference, which is archived."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Option, Results, Word

_NAMES = ("text-generation-inference", "huggingface-pytorch-tgi-inference")


class ServingImage(JobRule):
    id = "CW-J048"
    severity = "warning"
    prevents = "a server that gets no corrections, security fixes included"
    source = (
        "Hugging Face: maintenance since 2025-12-11, archived 2026-03-21 "
        "(aws-solutions-library-samples/global-capacity-orchestrator-on-aws PR#387)"
    )

    def check(self, job: Job) -> Results:
        for option in job.file.images:
            if any(name in option.value for name in _NAMES):
                yield _fail(option)
        for word in job.file.all_words:
            name = word.text.rpartition("/")[2]
            image = not word.text.startswith("--container-image") and any(
                part in word.text for part in _NAMES
            )
            if name == "text-generation-launcher" or image:
                yield _fail(word)
                return


def _fail(place: Option | Word) -> Fail:
    return Fail(
        message="Text Generation Inference (TGI) was archived on 2026-03-21",
        at=place,
        hint="serve with vLLM or SGLang",
    )

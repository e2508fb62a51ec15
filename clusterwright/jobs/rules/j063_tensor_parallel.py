"""Tensor parallelism stays within the accelerators that NVLink or NeuronLink joins."""

from __future__ import annotations

import re

from clusterwright.catalog import Known
from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step, Word
from clusterwright.jobs.rules.j052_layout import MEGATRON, TITAN, program_words
from clusterwright.jobs.values import whole

_SETTING = re.compile(r"\+{0,2}(?:[\w.]+\.)?tensor_(?:model_)?parallel_(?:size|degree)=(\d{1,6})")
"""The same as a setting of Hydra, as NeMo has them."""


class TensorParallel(JobRule):
    id = "CW-J063"
    severity = "warning"
    containers = True
    prevents = "an all-reduce in every layer over the network, at a fraction of the speed"
    source = (
        "NVIDIA/Megatron-LM, Megatron Core user guide, Parallelism Strategies: tensor parallelism "
        "within a node; scale_up_size of the catalogue"
    )

    def check(self, job: Job) -> Results:
        domain = job.largest(_domain(job, group.instance_type) for group in job.groups)
        if domain is None or domain < 1 or not job.trains:
            return
        for step in job.file.steps:
            word, size = _tensor(step)
            if size is None or size <= domain:
                continue
            yield Fail(
                message=f"tensor parallelism over {size} accelerators crosses the network: "
                f"{domain} share one link",
                at=word,
                requested=size,
                limit=domain,
                hint=f"at most {domain}, and more pipeline or data parallelism",
            )


def _domain(job: Job, instance_type: str) -> int | None:
    instance = job.catalog.instance(instance_type)
    size = instance.scale_up_size if instance is not None else None
    return size.value if isinstance(size, Known) else None


def _tensor(step: Step) -> tuple[Word | None, int | None]:
    """Where a step states the size of its tensor-parallel groups, and the size."""
    words = program_words(step)
    word = argument(words, MEGATRON["tensor"], TITAN["tensor"])
    if word is not None:
        return word, None if word.dynamic else whole(word.text)
    for one in words:
        match = _SETTING.fullmatch(one.text)
        if match is not None:
            return one, int(match.group(1))
    return None, None

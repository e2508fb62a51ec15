"""The job is for the accelerators of its nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.jobs.rule import Assignment, Fail, Job, JobRule, Option, Results, Word

_NEURON_PROGRAMS = frozenset({"neuron_parallel_compile", "nccom-test", "neuron-ls", "neuron-top"})
_NVIDIA_PROGRAMS = frozenset({"nvidia-smi", "dcgmi", "all_reduce_perf", "all_gather_perf"})
_NEURON_VARIABLE = re.compile(r"NEURON_(?:RT|CC|FUSE|COMPILE|NUM)_?\w*|XLA_DOWNCAST_BF16")
_NVIDIA_VARIABLE = re.compile(r"CUDA_(?:VISIBLE_DEVICES|DEVICE_MAX_CONNECTIONS)|NVTE_\w+")
_NEURON_TEXT = re.compile(r"neuronx?[-_/:]")
_NVIDIA_TEXT = re.compile(r"nvcr\.io[#/]nvidia")


class AcceleratorFamily(JobRule):
    id = "CW-J019"
    severity = "error"
    prevents = "a job that starts on nodes whose accelerators its programs cannot use"
    source = "AWS Neuron documentation and NVIDIA's CUDA documentation: neither runs the other's"

    def check(self, job: Job) -> Results:
        if job.families == {"neuron"}:
            yield from _wrong(job, "NVIDIA GPUs", _nvidia(job))
        elif job.families and "neuron" not in job.families:
            yield from _wrong(job, "AWS Trainium", _neuron(job))


def _wrong(job: Job, wanted: str, signs: Iterator[Word | Assignment | Option]) -> Results:
    sign = next(signs, None)
    if sign is None:
        return
    others = [p.name for p in job.cluster.slurm.partitions if p not in job.partitions]
    yield Fail(
        message=f"the job is written for {wanted}, and {job.where} has other nodes",
        at=sign,
        severity="warning" if isinstance(sign, Assignment) else None,
        hint=f"name another partition: {', '.join(others)}" if others else None,
    )


def _neuron(job: Job) -> Iterator[Word | Assignment | Option]:
    requested = job.file.option("gres")
    if requested is not None and requested.value.startswith("neuron"):
        yield requested
    yield from _programs(job, _NEURON_PROGRAMS, _NEURON_TEXT)
    yield from (a for a in job.file.environment if _NEURON_VARIABLE.fullmatch(a.name))


def _nvidia(job: Job) -> Iterator[Word | Assignment | Option]:
    requested = job.file.option("gpus-per-node", "gres", "gpus", "gpus-per-task")
    if requested is not None and (requested.name != "gres" or requested.value.startswith("gpu")):
        yield requested
    yield from _programs(job, _NVIDIA_PROGRAMS, _NVIDIA_TEXT)
    yield from (a for a in job.file.environment if _NVIDIA_VARIABLE.fullmatch(a.name))


def _programs(job: Job, names: frozenset[str], text: re.Pattern[str]) -> Iterator[Word | Option]:
    for command in job.file.commands:
        if command.name in names:
            yield command.words[0]
    for step in job.file.steps:
        for word in step.program[:1]:
            if word.text.rpartition("/")[2] in names:
                yield word
    yield from (image for image in job.file.images if text.search(image.value))

"""One process downloads, not every rank."""

from __future__ import annotations

import re

from clusterwright.jobs.hub import loaded
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step, Word

_REMOTE = re.compile(r"://|^git@")
"""A repository that is not a folder."""
_RANKS_FOR_THE_HUB = 8


class Downloads(JobRule):
    id = "CW-J046"
    severity = "warning"
    prevents = "HTTP 429 of the Hugging Face Hub, and the same bytes once per rank"
    source = (
        "Hugging Face Hub documentation, rate limits and HF_HUB_OFFLINE; awslabs/"
        "awsome-distributed-ai: one import on Lustre, not one per node"
    )

    def check(self, job: Job) -> Results:
        for step in job.file.steps:
            tasks = job.tasks(step)
            text = " ".join(word.text for word in step.program)
            if "PROCID" in text or "LOCALID" in text or "RANK" in text:
                continue
            word = _downloader(step) if tasks is None or tasks > 1 else None
            if step.runner == "srun" and word is not None and tasks is not None:
                yield Fail(
                    message=f"{tasks} processes download the same",
                    at=word,
                    hint="srun --nodes=1 --ntasks=1 for the download, in a step before",
                )
        yield from _hub(job)


def _downloader(step: Step) -> Word | None:
    words = [part for word in step.program for part in ((word, t) for t in word.text.split())]
    for index, (word, text) in enumerate(words):
        name = text.rpartition("/")[2]
        following = words[index + 1][1] if index + 1 < len(words) else ""
        if name in ("wget", "curl") and "127.0.0.1" not in following:
            return word
        rest = [text for _, text in words[index + 2 :]]
        if (name, following) == ("git", "clone") and any(_REMOTE.search(text) for text in rest):
            return word
        if (name, following) in {
            ("huggingface-cli", "download"),
            ("hf", "download"),
            ("enroot", "import"),
        }:
            return word
        if name in ("pip", "pip3") and following == "install":
            return word
    return None


def _hub(job: Job) -> Results:
    """Every rank resolves the model's name at the Hub, unless it is offline."""
    offline = job.file.variable("HF_HUB_OFFLINE") or job.file.variable("TRANSFORMERS_OFFLINE")
    ranks = (job.nodes or 1) * (job.accelerators_per_node or 1)
    if offline is not None or ranks <= _RANKS_FOR_THE_HUB:
        return
    for step in job.file.steps:
        for word, name in loaded(step.program):
            yield Fail(
                message=f"{ranks} ranks ask the Hugging Face Hub for {name}",
                at=word,
                hint="download it once, then HF_HUB_OFFLINE=1",
            )

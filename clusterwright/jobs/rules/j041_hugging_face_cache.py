"""The Hugging Face cache is on Lustre or NVMe."""

from __future__ import annotations

import re

from clusterwright.jobs.hub import loaded_by
from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Results, Word
from clusterwright.jobs.shell import joined

_CACHES = frozenset(
    [
        "HF_HOME",
        "HF_HUB_CACHE",
        "HF_DATASETS_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "TRANSFORMERS_CACHE",
        "HF_ASSETS_CACHE",
        "TORCH_HOME",
        "XDG_CACHE_HOME",
    ]
)
_OF_THE_HUB = _CACHES - {"HF_DATASETS_CACHE", "HF_ASSETS_CACHE", "TORCH_HOME"}
_SOURCE = ("source", ".")
_NOT_ENVIRONMENTS = ("/activate", "/conda.sh", "/modules.sh", "/bash", "/lmod.sh")
"""What makes programs available and sets no cache."""
_LINKERS = frozenset({"ln", "mount", "bindfs"})
_DEFAULT = re.compile(r"(?:^|/)\.cache(?:/huggingface(?:/hub)?)?/?$")
"""The default cache, a folder above it, or that of models in it."""
_PLACES = {"home": "the home directories", "root": "the root disk of each node"}


class HuggingFaceCache(JobRule):
    id = "CW-J041"
    severity = "warning"
    prevents = "stale file handles and full home directories when all ranks read the cache"
    source = (
        "huggingface_hub documentation, environment variables: ~/.cache/huggingface is the "
        "default; NFS: stale handles (awslabs/awsome-distributed-ai)"
    )

    def check(self, job: Job) -> Results:
        found = [a for a in job.file.environment if a.name in _CACHES]
        for assignment in found:
            kind = job.program_storage(assignment.value.text)
            if kind in _PLACES:
                yield Fail(
                    message=f"{assignment.name}={assignment.value.text} is on {_PLACES[kind]}",
                    at=assignment,
                    hint=f"HF_HOME on {job.shared_paths}",
                )
        if any(a.name in _OF_THE_HUB for a in found) or job.containers or _elsewhere(job):
            return
        download = _download(job)
        if download is not None:
            yield Fail(
                message="the download goes to ~/.cache/huggingface in the home directory",
                at=download,
                hint=f"export HF_HOME on {job.shared_paths}, or --local-dir",
            )
        for word, name in loaded_by(job):
            yield Fail(
                message=f"{name} is loaded through ~/.cache/huggingface in the home directory",
                at=word,
                hint=f"export HF_HOME on {job.shared_paths}, or the path of a copy there",
            )
            return


def _elsewhere(job: Job) -> bool:
    """Whether ~/.cache is not in the home directories, or a file that is sourced may say so."""
    if job.file.variable("HOME") or job.storage("~/.cache") not in _PLACES:
        return True
    if any(_replaces_the_default(job, command) for command in job.file.commands):
        return True
    sourced = [c.words[1].text for c in job.file.commands if c.name in _SOURCE and c.words[1:]]
    return any(not path.endswith(_NOT_ENVIRONMENTS) for path in sourced)


def _replaces_the_default(job: Job, command: Command) -> bool:
    """Whether a link or a mount puts a folder elsewhere in the place of ~/.cache/huggingface."""
    texts = [word.text for word in command.words]
    if not any(text.rpartition("/")[2] in _LINKERS for text in texts[:-2]):
        return False
    source, target = texts[-2], joined(command.folder, texts[-1]) or texts[-1]
    return bool(_DEFAULT.search(target)) and job.storage(source) not in _PLACES


def _download(job: Job) -> Word | None:
    for command in job.file.commands:
        words = [word.text for word in command.words]
        if any(text.startswith(("--local-dir", "--cache-dir")) for text in words):
            continue
        for index, word in enumerate(words[:-1]):
            hub = word.rpartition("/")[2] in ("huggingface-cli", "hf")
            if hub and words[index + 1] == "download":
                return command.words[index]
    return None

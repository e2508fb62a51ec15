"""References to container images separate the registry with `#`, and files have a path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.jobs.rule import Fail, Job, JobRule, Option, Results, Word

_REGISTRY = re.compile(r"(?:[\w.-]+@)?((?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?|[a-z0-9-]+:\d+)/(.+)")

_RELATIVE = re.compile(r"[\w-][\w./-]*")


class ImageReference(JobRule):
    id = "CW-J043"
    severity = "error"
    prevents = "an import that asks Docker Hub for an image of another registry, and is refused"
    source = "NVIDIA/enroot, doc/cmd/import.md: docker://[USER@][REGISTRY#]IMAGE[:TAG]; Pyxis"

    def check(self, job: Job) -> Results:
        for option in job.file.images:
            if option.value.endswith(".sqsh") and _RELATIVE.fullmatch(option.value):
                yield Fail(
                    message=f"{option.value}: Pyxis takes a file only with a path that begins "
                    "with / or ./, and asks Docker Hub for an image of this name",
                    at=option,
                    hint=f"./{option.value}",
                )
        for place, text in references(job):
            body = text.removeprefix("docker://")
            if "#" in body or "${" in body:
                continue
            match = _REGISTRY.fullmatch(body)
            if match is not None:
                scheme = "docker://" if text.startswith("docker://") else ""
                yield Fail(
                    message=f"{text}: Enroot takes {match.group(1)} as a part of the image's name",
                    at=place,
                    hint=f"{scheme}{match.group(1)}#{match.group(2)}",
                )


def references(job: Job) -> Iterator[tuple[Option | Word, str]]:
    """References to images of registries: of `enroot import`, and of Pyxis."""
    for command in job.file.commands:
        words = command.words
        if any(word.text.rpartition("/")[2] == "enroot" for word in words):
            for word in words:
                if word.text.startswith("docker://"):
                    yield word, word.text
    for option in job.file.images:
        path = option.value.startswith(("/", "./", "../", "~", "$"))
        if not path and not option.value.endswith(".sqsh"):
            yield option, option.value

"""Images for Trn1 are pinned at Neuron 2.28 or older."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Option, Results, Word

_LAST = (2, 28)
_SDK = re.compile(r"sdk(\d+)\.(\d+)")
_IMAGE = re.compile(r"[\w.@#/-]*neuron[\w./-]*(?::[\w.-]+|@sha256:\w+)?")


class Trn1Image(JobRule):
    id = "CW-J049"
    severity = "warning"
    prevents = "training on Trn1 with a Neuron release that no longer supports it"
    source = (
        "AWS Neuron documentation: NxD Training and XLA training ended with 2.28 to 2.31 "
        "(three statements); native PyTorch is for Trn2 and Trn3"
    )

    def check(self, job: Job) -> Results:
        types = {group.instance_type for group in job.groups}
        if not types or not all(name.startswith(("trn1.", "trn1n.")) for name in types):
            return
        places: list[Option | Word] = list(job.file.images)
        for command in job.file.commands:
            if command.name in ("docker", "podman", "apptainer", "singularity", "enroot"):
                places += [word for word in command.words if _registry(word.text)]
        for place in places:
            text = place.value if isinstance(place, Option) else place.text
            if "neuron" not in text or not _IMAGE.search(text):
                continue
            match = _SDK.search(text)
            if match is None:
                yield Fail(
                    message=f"{text}: the Neuron release of the image is not in its tag",
                    at=place,
                    hint="pin a tag with sdk2.28 or older: it is the last that is safe on Trn1",
                )
            elif (int(match.group(1)), int(match.group(2))) > _LAST:
                yield Fail(
                    message=f"Neuron {match.group(1)}.{match.group(2)} in {text}: Trn1 trains "
                    "with 2.28 or older",
                    at=place,
                    hint="pin a tag with sdk2.28",
                )


def _registry(text: str) -> bool:
    return "neuron" in text and ("/" in text or ":" in text) and not text.startswith(("-", "/"))

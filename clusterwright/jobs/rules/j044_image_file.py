"""The container image is on a file system that every node has."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Option, Results, Word

_REASONS = {
    "home": "the home directories, which all nodes read at once",
    "root": "the root disk of each node",
    "unmounted": "no file system of the spec",
    "memory": "the memory of one node",
}


class ImageFile(JobRule):
    id = "CW-J044"
    severity = "warning"
    prevents = "a step that fails on the nodes that lack the image, or waits for the home server"
    source = "awslabs/awsome-distributed-ai, one squashfs file on Lustre; mount paths of the spec"

    def check(self, job: Job) -> Results:
        places: list[Option | Word] = list(job.file.images)
        for step in job.file.steps:
            places += [word for word in step.program if word.text.endswith((".sqsh", ".sif"))]
        for place in places:
            path = place.value if isinstance(place, Option) else place.text
            kind = job.storage(path) if path.startswith(("/", "~")) else "unknown"
            if kind in _REASONS:
                yield Fail(
                    message=f"{path} is on {_REASONS[kind]}",
                    at=place,
                    hint=f"import it once to {job.shared_paths}",
                )

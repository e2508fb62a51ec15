"""The base classes of rules on job files."""

from __future__ import annotations

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.jobs.manifest_file import read_manifests
from clusterwright.jobs.rule import ContainerRule, Fail, Job, JobRule, Manifests, Results
from tests.jobs.made import loaded
from tests.jobs.made_manifests import SPEC, pod, pytorch_job


class Example(JobRule):
    id = "CW-J999"
    severity = "warning"
    prevents = "nothing"
    source = "a test"

    def __init__(self, hint: str) -> None:
        self.hint = hint

    def skipped(self, job: Job) -> str | None:
        return "no EFA" if not job.has_efa else None

    def check(self, job: Job) -> Results:
        yield Fail(message=f"{job.nodes} {job.unit}s", at=job.file.steps[0].word, hint=self.hint)


def found(hint: str, limits: dict[str, int]) -> list[Fail]:
    made = pod(limits)
    made["containers"][0]["command"] = ["torchrun", "train.py"]
    file = read_manifests(pytorch_job(made, replicas=4), "job.yaml")
    manifests = Manifests(file, loaded(dict(SPEC)), load_catalog())
    return [one for one in ContainerRule(Example(hint)).check(manifests) if isinstance(one, Fail)]


def test_title_is_the_first_line_of_the_module() -> None:
    assert Example.title == "The base classes of rules on job files"


@pytest.mark.parametrize(
    ("hint", "shown"),
    [("--nnodes=4", "--nnodes=4"), ("srun --ntasks-per-node=1", None), ("one task per GPU", None)],
)
def test_hints_about_slurm_are_not_for_containers(hint: str, shown: str | None) -> None:
    limits = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}
    (one,) = found(hint, limits)
    assert (one.message, one.hint) == ("4 pods", shown)
    assert found(hint, {"nvidia.com/gpu": 8}) == []  # skipped

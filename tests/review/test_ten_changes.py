"""Ten typical changes: the first screen of the comment is enough to decide.

The first screen is what is not folded, wrapped at 100 columns. For each change the facts that a
reviewer needs are listed here, apart from the code that writes them.
"""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.context import Context
from clusterwright.render.review import SUMMARY, review_text
from clusterwright.render.review_markdown import review_markdown
from clusterwright.review.assembly import Assembly, StackTemplate, pseudo_parameters
from clusterwright.review.results import Review
from clusterwright.review.review import Question, Version, review
from tests.support import specs
from tests.support.review_answers import contradictions
from tests.support.rich_specs import (
    ACCOUNT,
    EKS_MINIMAL,
    EXISTING,
    MINIMAL,
    PARALLELCLUSTER_MINIMAL,
    changed,
)
from tests.support.synthesis import Build

LINES = 26
"""Lines of the first screen at most: a window of 1080 pixels shows about 40."""

SLURM: dict[str, Any] = changed(
    MINIMAL,
    storage={"lustre": [{"name": "fsx", "capacity_gib": 9600, "throughput_mbps_per_tib": 500}]},
)
EKS: dict[str, Any] = changed(
    EKS_MINIMAL,
    network={
        "availability_zone_id": "use1-az6",
        "existing": {
            **EXISTING["network"]["existing"],
            "control_plane_subnet_ids": ["subnet-0a1b2c3d4e5f60711", "subnet-0a1b2c3d4e5f60712"],
        },
    },
)
GROUPS = ["sg-0a1b2c3d4e5f60718", "sg-0ffffffffffffffff"]


@dataclass(frozen=True)
class Change:
    """A change, the verdict, and words that each sentence must contain."""

    base: dict[str, Any]
    edits: dict[str, Any]
    verdict: str
    happens: str
    lost: str
    survives: str
    costs: str
    instead: str


CHANGES = {
    "eight more nodes": Change(
        SLURM, {"compute__1__count": 12}, "pass",
        "nodes: workers 4 -> 12", "nothing: no job ends", "4 nodes of workers",
        "USD a month", "no alternative",
    ),
    "fewer nodes": Change(
        SLURM, {"compute__1__count": 2}, "pass",
        "nodes: workers 4 -> 2", "2 of the 4 nodes of workers", "2 nodes of workers",
        "USD a month", "drain the nodes of workers first",
    ),
    "another address range": Change(
        SLURM, {"network__cidr": "10.9.0.0/16"}, "fail",
        "the VPC test-network/Vpc is replaced", "all 4 nodes of workers",
        "it is retained outside the stack", "1 resource retained", "secondary_cidrs",
    ),
    "another instance type": Change(
        SLURM, {"compute__1__instance_type": "p5en.48xlarge"}, "fail",
        "p5.48xlarge -> p5en.48xlarge", "all 4 nodes of workers", "1 node of controller",
        "USD a month", "add a group with the new settings",
    ),
    "EFA on the file system": Change(
        SLURM, {"storage__lustre__0__efa": True}, "fail",
        "the file system", "nothing: no job ends",
        "it is retained outside the stack; the new one is empty; running nodes still mount it",
        "USD a month", "add a second file system",
    ),
    "no protection": Change(
        SLURM, {"protection": "destroy"}, "fail",
        "no longer protected", "deleting a stack will delete", "4 nodes of workers",
        "USD a month", "keep `protection: retain`",
    ),
    "another image": Change(
        SLURM, {"image": {"release_version": "1.0.1"}}, "fail",
        "image.release_version", "all 4 nodes of workers", "file system",
        "USD a month", "drain",
    ),
    "a security group on EKS": Change(
        EKS, {"network__existing__security_group_ids": GROUPS}, "fail",
        "+sg-0ffffffffffffffff", "all 4 nodes of workers", "all data",
        "USD a month", "kubectl drain",
    ),
    "another version of Kubernetes": Change(
        changed(EKS, kubernetes={"version": "1.34"}), {"kubernetes__version": "1.35"}, "fail",
        "1.34 -> 1.35", "all 4 nodes of workers", "all data",
        "USD a month", "kubectl drain",
    ),
    "a group on ParallelCluster": Change(
        PARALLELCLUSTER_MINIMAL,
        {
            "compute__2": {
                "name": "more", "role": "compute", "instance_type": "p5.48xlarge", "count": 2,
            }
        },
        "pass", "nodes: more 0 -> 2", "no", "4 nodes of workers",
        "USD a month", "no alternative",
    ),
}  # fmt: skip


@pytest.fixture(params=CHANGES, scope="module")
def reviewed(
    request: pytest.FixtureRequest, build: Build, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Change, Review]:
    change = CHANGES[request.param]
    folder = tmp_path_factory.mktemp("change")
    versions = [
        _version(build, folder / f"{index}.yaml", spec)
        for index, spec in enumerate((change.base, changed(change.base, **change.edits)))
    ]
    question = Question(
        base=versions[0],
        change=versions[1],
        base_name="main (3f2a91c)",
        files=(),
        reader=None,
        offline=True,
        today=TODAY,
    )
    return change, review(question)


TODAY = dt.date(2026, 11, 20)


def _version(build: Callable[..., Any], path: Path, spec: dict[str, Any]) -> Version:
    specs.write(path, spec)
    templates = build(spec).templates
    return Version(
        Context(load_cluster(path), load_catalog(), TODAY),
        Assembly(
            {name: StackTemplate(name, body) for name, body in templates.items()},
            pseudo_parameters(ACCOUNT, "us-east-1", "aws"),
        ),
    )


def first_screen(comment: str) -> list[str]:
    """What the reader sees without unfolding or scrolling."""
    shown = comment.partition("<details>")[0].splitlines()[1:]
    return [
        part
        for line in shown
        for part in (textwrap.wrap(line.replace("\\", ""), 100) if line else [""])
    ]


def test_first_screen_is_enough(reviewed: tuple[Change, Review]) -> None:
    change, found = reviewed
    screen = first_screen(review_markdown(found))
    assert len(screen) <= LINES, "\n".join(screen)
    text = " ".join(screen)
    assert f"**{change.verdict}**" in text
    for key, title in SUMMARY.items():
        sentence = text.partition(f"**{title}**:")[2].partition("- **")[0]
        assert getattr(change, key).replace("->", "-&gt;") in sentence, (title, sentence)


def test_gates_and_tables_agree(reviewed: tuple[Change, Review]) -> None:
    _, found = reviewed
    assert contradictions(found) == []
    assert found.summary is not None
    ends = [n for n in found.nodes if n.jobs == "die"]
    assert ("running jobs on" in found.summary.lost) == bool(ends)


def test_every_resource_is_under_one_cause(reviewed: tuple[Change, Review]) -> None:
    _, found = reviewed
    told = [change.name for cause in found.causes for change in cause.resources]
    assert sorted(told) == sorted(change.name for change in found.resources)


def test_comment(reviewed: tuple[Change, Review], snapshot: SnapshotAssertion) -> None:
    """The first screen, and the titles of what is folded; prices have tests of their own."""
    _, found = reviewed
    comment = review_markdown(found)
    titles = re.findall(r"<summary>(.*?)</summary>", comment)
    text = "\n".join([*first_screen(comment), *titles])
    text = re.sub(r"[+-]?[\d,]+\.\d+", "N", text)
    assert re.sub(r"\d+ (changed )?lines?", "N lines", text) == snapshot


def test_text_begins_with_the_same_sentences(reviewed: tuple[Change, Review]) -> None:
    _, found = reviewed
    assert found.summary is not None
    head = " ".join(" ".join(review_text(found).splitlines()[:LINES]).split())
    for key, title in SUMMARY.items():
        sentence = " ".join(getattr(found.summary, key).split())
        assert f"{title}: {sentence}" in head

"""Acceptance of nodes: its level, floors of the user's own, waivers, and the hold."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model, Name
from clusterwright.cluster_spec.models.operations import Day

CheckId = Annotated[str, Field(min_length=1, max_length=63, examples=["nvlink-allreduce"])]
"""The id of a check of the node program; `docs/reference/acceptance.md` lists them."""


SHORTEST_REASON: Final = 10

_HIDDEN: Final = ("Cc", "Cf", "Cs")
"""Categories of characters that nobody sees, such as the soft hyphen."""


def one_line(text: str) -> str:
    """The text with single spaces, as the controller keeps a reason."""
    return " ".join(text.split())


def _reason(text: str) -> str:
    """`lifecycle_scripts/clusterwright_common/waivers.py` has the same rule."""
    from pydantic_core import PydanticCustomError

    line = one_line(text)
    hidden = next((each for each in line if unicodedata.category(each) in _HIDDEN), None)
    if hidden is not None:
        code = f"U+{ord(hidden):04X}"
        raise PydanticCustomError("reason", "has the invisible character {code}", {"code": code})
    if len(line) < SHORTEST_REASON:
        raise PydanticCustomError(
            "reason",
            "has {length} characters without repeated spaces, fewer than {least}",
            {"length": len(line), "least": SHORTEST_REASON},
        )
    return text


class OwnFloor(Model):
    """The least figure of a check that a healthy node reaches, by your own measurement."""

    check: CheckId
    """The id of a check with a figure, such as `nvlink-allreduce`."""

    minimum: Annotated[float, Field(gt=0, le=1_000_000_000, examples=[440])]
    """The floor, in `unit`. It replaces the floor of the program's table."""

    unit: Annotated[Literal["GB/s", "MB/s"], Field(examples=["GB/s"])]
    """The unit of the check's figure, so that a figure in another unit is refused."""

    size_mib: Annotated[int, Field(ge=1, le=1_048_576)] | None = None
    """Only `cluster-allreduce`: the message size; every size if absent."""

    node_count: Annotated[int, Field(ge=2, le=100_000)] | None = None
    """Only `cluster-allreduce`: the number of nodes; any number if absent."""

    groups: Annotated[list[Name], Field(max_length=100)] = []
    """The compute groups that it applies to; all if empty."""


class AcceptanceWaiver(Model):
    """A check whose failure or unknown result does not keep a node from jobs."""

    check: CheckId
    """The id of the check."""

    reason: Annotated[
        str,
        Field(
            min_length=SHORTEST_REASON,
            max_length=1000,
            examples=["the vendor replaces the cable"],
        ),
        AfterValidator(_reason),
    ]
    """Why the result is accepted."""

    expires: Annotated[Day, Field(examples=["2027-01-31"])]
    """The last day of the waiver. Afterwards the check counts again, and CW-W001 reports it."""

    nodes: Annotated[list[Name], Field(max_length=1000)] = []
    """The nodes that it applies to, by Slurm's names, on Kubernetes by the name up to the first
    dot; all if empty."""

    groups: Annotated[list[Name], Field(max_length=100)] = []
    """The compute groups that it applies to; all if empty."""


class Acceptance(Model):
    """How nodes are tested before they are trusted, see `clusterwright accept`."""

    level: Literal["quick", "standard", "full"] = "quick"
    """The default of `accept --level`. quick: counts and states, a minute. standard: also
    bandwidths and pairs of nodes, 20 minutes. full: also DCGM level 4, 3 hours."""

    # A factory: no default for the schema, since `resolve` derives the value from the platform.
    hold: bool = Field(default_factory=bool)
    """No job of a user starts on a compute node before it is accepted at `level`, after a first
    boot, a replacement and a reboot; a waiver opens it, an unknown result does not. On HyperPod
    with Slurm it is a reservation, on Kubernetes a taint. On ParallelCluster and PCS slurmd starts
    only after the level `quick`, and a node that is not accepted is replaced: on ParallelCluster
    until its protected mode stops the queue, on PCS without an end that is published. True if it
    is not stated; on Kubernetes only with `image`, without which no node is tested. A cluster
    whose checks cannot pass on its image takes no job until they are waived."""

    image: (
        Annotated[
            str,
            Field(pattern=formats.IMAGE_DIGEST.pattern, examples=[formats.IMAGE_DIGEST.example]),
        ]
        | None
    ) = None
    """Kubernetes: a container image with Python 3.9 or later and the programs of the checks, with
    a digest; without it no node is tested."""

    recheck_hours: Annotated[int, Field(ge=1, le=8760, examples=[168])] | None = None
    """Accepted nodes are tested again at `level` after this many hours, at most half of the idle
    nodes at once. A re-check starts only while no job waits for nodes, at the lowest priority, and
    stops within seconds when one does; on Kubernetes its pods have the lowest priority, and end
    for pods of users. Absent: no re-checks."""

    floors: Annotated[list[OwnFloor], Field(max_length=100)] = []
    """Your own floors, in place of those of the program."""

    waivers: Annotated[list[AcceptanceWaiver], Field(max_length=1000)] = []
    """Results that are accepted for a time, each with a reason and an expiry date."""

"""The JSON output of `clusterwright drift`."""

from __future__ import annotations

from typing import Any, Literal

from clusterwright.json_output.base import Envelope, Output, field, json_text
from clusterwright.json_output.operating import OperatingPolicyOutput
from clusterwright.operate.results import DifferenceKind, DriftReport


class DifferenceOutput(Output):
    """One value that differs."""

    resource: str = field("Stack and logical id, an instance group, or `spec`.")
    path: str = field("The property, or the key of the spec.")
    deployed: Any = field("The live value; null if there is none.")
    file: Any = field("The value of the file, or of the template that was deployed from it.")
    kind: DifferenceKind = field("Where the difference was found.")


class NotComparedOutput(Output):
    """Something that was not compared."""

    what: str = field("A part, or a resource type with its resources.")
    reason: str = field("Why.")
    hint: str | None = field("What to do about it.")


class DriftOutput(Envelope):
    """What differs between the file, its deployment and what runs."""

    command: Literal["drift"] = "drift"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    account: str = field("The account.")
    region: str = field("The region.")
    stacks: tuple[str, ...] = field("The deployed stacks.")
    differences: tuple[DifferenceOutput, ...] = field("Every difference.")
    not_compared: tuple[NotComparedOutput, ...] = field("What was not compared.")


OUTPUTS = (DriftOutput, OperatingPolicyOutput)


def drift_json(report: DriftReport) -> str:
    """The report as JSON."""
    return json_text(DriftOutput, report)

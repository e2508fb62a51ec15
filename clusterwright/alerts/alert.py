"""An alert: one entry of a family, from which rules, runbooks and the reference are written.

Placeholders of texts and expressions, replaced for a cluster: `@NAME@` (of the alert), `@CLUSTER@`
(value of the label), `@FILE@` (the spec), `@GROUP@`, `@NODES@` (of the group), `@TYPE@` (its
instance type), `@COUNT@` (accelerators of that), `@MOUNT@`, `@RATE@` and `@SILENT@` (windows that
hold at least four and three samples), `@COMPUTE@` (a regular expression of the compute groups),
`@EFA@` (of those with EFA), `@VALUE@` (the value in words), `@END@` (of purchased capacity, in
seconds since 1970), `@LAST@` (minutes before it).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Severity = Literal["critical", "warning"]
Scope = Literal["cluster", "group", "mount"]
Need = Literal[
    "exporter",
    "slurm",
    "health",
    "fixed",
    "nvidia",
    "dcgm",
    "neuron",
    "efa",
    "lustre",
    "collector",
    "capacity-end",
]

SEVERITIES: Final[Mapping[Severity, str]] = {
    "critical": "Jobs, data or money are being lost: somebody looks now.",
    "warning": "It becomes critical or keeps costing: somebody looks on the same working day.",
}

NEEDS: Final[Mapping[Need, str]] = {
    "exporter": "the exporter on the nodes",
    "slurm": "Slurm",
    "health": "the health checks of Slurm nodes",
    "fixed": "groups with a fixed number of nodes",
    "nvidia": "NVIDIA GPUs",
    "dcgm": "NVIDIA GPUs on Slurm nodes, whose images have DCGM",
    "neuron": "Neuron devices",
    "efa": "groups with EFA",
    "lustre": "Lustre file systems that nodes mount (Slurm)",
    "collector": "AWS's collector on EKS",
    "capacity-end": "`--capacity-ends`",
}
"""What a cluster must have, as named where an alert is left out."""

_PLACEHOLDER: Final = re.compile(r"@([A-Z]+)@")


@dataclass(frozen=True)
class Alert:
    """One alert.

    Attributes
    ----------
    name:
        The alert's name, which never changes its meaning.
    for_minutes:
        How long the condition lasts before the alert fires; 0 at once.
    threshold, reason:
        The limit in words, and why it is a fault.
    scope:
        One rule for the cluster, for each group that has what `needs` names, or for each mount
        path of Lustre.
    without_data:
        The alert that fires if this alert's samples are missing; `itself`, or `none` with the
        reason in `reason_without_data`.
    idle:
        Which nodes are paid for and do no work; their price is in the text. Empty for none.
    commands:
        What to run first; `@FILE@` is the spec.
    steps:
        What to do, in order, in Markdown.
    priced_value:
        Whether the expression counts idle nodes, and is multiplied by their price if it is known.
    """

    name: str
    severity: Severity
    for_minutes: int
    threshold: str
    reason: str
    summary: str
    expression: str
    needs: tuple[Need, ...]
    commands: tuple[str, ...]
    steps: tuple[str, ...]
    scope: Scope = "cluster"
    without_data: str = "itself"
    reason_without_data: str = ""
    idle: str = ""
    priced_value: bool = False

    @property
    def anchor(self) -> str:
        """The anchor of its runbook."""
        return self.name.lower()


def filled(text: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders.

    Raises
    ------
    KeyError
        A placeholder has no value.
    """
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text)

"""Parts that the JSON outputs of the operating commands share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from clusterwright.json_output.base import Envelope, Output, field, json_text
from clusterwright.operate.results import Severity
from clusterwright.preflight.account_results import Permission


class OperatingFindingOutput(Output):
    """Something that is wrong with the cluster, or worth knowing (`info`)."""

    code: str = field("A stable word, such as `node-failed`.")
    severity: Severity = field("`info` does not change the exit code.")
    message: str = field("What is wrong, in a sentence.")
    resources: tuple[str, ...] = field("Nodes, groups, stacks or purchases.")
    hint: str | None = field("What to do about it: a command.")


class UnknownPartOutput(Output):
    """One part that could not be read."""

    what: str = field("The part.")
    reason: str = field("Why it is unknown.")
    hint: str | None = field("What to do about it.")
    iam_action: str | None = field("The IAM action that is missing.")


class OperatingPolicyOutput(Envelope):
    """With --iam-policy: the least policy that the command needs."""

    command: Literal[
        "accept", "capacity", "diagnose", "drift", "node", "report cost", "status", "topology"
    ] = field("The command that needs it.")
    policy: dict[str, Any] = field("An IAM policy document.")
    permissions: tuple[Permission, ...] = field("Each action with its resources.")


def operating_policy_json(
    command: str, document: Mapping[str, Any], permissions: Iterable[Permission]
) -> str:
    """A policy document as JSON, with the actions."""
    return json_text(
        OperatingPolicyOutput,
        command=command,
        exit_code=0,
        policy=document,
        permissions=tuple(permissions),
    )


ExitCode = Literal[0, 1, 2]

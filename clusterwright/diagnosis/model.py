"""Evidence, findings, and the result of a diagnosis."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

Confidence = Literal["certain", "likely", "possible"]
Severity = Literal["error", "info"]
CONFIDENCES: Final[tuple[Confidence, ...]] = ("certain", "likely", "possible")
Subject = Literal["deploy", "node", "job"]


@dataclass(frozen=True)
class Evidence:
    """One statement of a source: an event, a log line, a state, a record.

    Attributes
    ----------
    kind:
        What sort of statement it is, for signatures: `stack-event`, `cluster-event`,
        `node-status`, `log`, `scheduler-node`, `reservation`, `acceptance`, `job`, `pending`,
        `running`, `daemon`, `file-system`, `database`, `node-group`, `scaling-activity`,
        `capacity`, `partition`.
    source:
        Where it was read, in words that a user can look up.
    id:
        The event's id, the stream and line, or the name of what has the state.
    time:
        When it happened, with a time zone; None if the source has no time.
    node, instance, job, stack, resource:
        What it is about; empty where unknown.
    failed:
        The source itself says that this is a failure. A failure that no signature matches is
        reported as an unknown cause; a line of a log without a signature is not.
    fields:
        Values of the source by name, for the texts of signatures.
    left_out:
        Lines of a long log before this one, since the last that was kept, that report nothing.
    """

    kind: str
    source: str
    id: str
    time: dt.datetime | None
    text: str
    node: str = ""
    instance: str = ""
    job: str = ""
    stack: str = ""
    resource: str = ""
    failed: bool = False
    fields: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0

    def about(self, nodes_by_instance: Mapping[str, str]) -> Evidence:
        """The same with the node's name, where only its instance is known."""
        if self.node or self.instance not in nodes_by_instance:
            return self
        return replace(self, node=nodes_by_instance[self.instance])


@dataclass(frozen=True)
class Finding:
    """A cause with its evidence; the key of contract `findings[]`.

    Attributes
    ----------
    signature:
        Id of the signature; `unknown` for a failure that none matches.
    rank:
        0 for a cause, 1 for what a cause usually leads to, 2 for a report that something failed.
    next:
        Commands to run, in order.
    severity:
        `info` for what is as it should be, which does not change the exit code.
    """

    cause: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    resources: tuple[str, ...]
    next: tuple[str, ...]
    signature: str
    rank: int = 0
    severity: Severity = "error"


@dataclass(frozen=True)
class NotRead:
    """What could not be read, and why."""

    what: str
    reason: str
    hint: str = ""


@dataclass(frozen=True)
class Target:
    """What the user asks about: everything if `subject` is None."""

    subject: Subject | None = None
    name: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """The result of `diagnose`.

    Attributes
    ----------
    read:
        What was read, with the number of statements in it.
    """

    findings: tuple[Finding, ...]
    read: tuple[str, ...]
    unknown: tuple[NotRead, ...]

    @property
    def exit_code(self) -> int:
        """1 with an error; 2 if something could not be read and no error was found; else 0."""
        failed = any(finding.severity == "error" for finding in self.findings)
        return 1 if failed else 2 if self.unknown else 0

"""The JSON output of `clusterwright diagnose`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from clusterwright.diagnosis.model import Confidence, Diagnosis, Severity
from clusterwright.json_output.base import Envelope, Output, field, json_text
from clusterwright.json_output.operating import OperatingPolicyOutput


def _iso(value: object) -> object:
    isoformat = getattr(value, "isoformat", None)
    return isoformat() if isoformat is not None else value


class EvidenceOutput(Output):
    """One statement of a source."""

    source: str = field("Where it was read.")
    id: str = field("Event id, stream and line, or the name of what has the state.")
    time: Annotated[str | None, BeforeValidator(_iso)] = field(
        "When it happened, ISO 8601; null if the source has no time."
    )
    text: str = field("The statement.")


class FindingOutput(Output):
    """A cause."""

    cause: str = field(
        "The cause in a sentence. `unknown cause: TEXT` is a failure that no signature matches."
    )
    severity: Severity = field(
        "`info` for what is as it should be, which does not change the exit code."
    )
    confidence: Confidence = field("How certain the cause is.")
    evidence: tuple[EvidenceOutput, ...] = field("What shows it, at most 12 statements.")
    resources: tuple[str, ...] = field("Nodes, instances, jobs and resources that it concerns.")
    next: tuple[str, ...] = field("Commands to run, in order.")
    signature: str = field("Id of the signature that matched; `unknown` without one.")


class UnknownOutput(Output):
    """What could not be read."""

    what: str = field("The source.")
    reason: str = field("Why it was not read.")
    hint: str = field("What to do about it; empty without one.")


class DiagnoseOutput(Envelope):
    """What failed, and why."""

    command: Literal["diagnose"] = "diagnose"
    findings: tuple[FindingOutput, ...] = field(
        "Causes, the most certain first; then information."
    )
    read: tuple[str, ...] = field("What was read, also where it gave nothing.")
    unknown: tuple[UnknownOutput, ...] = field("What could not be read.")


OUTPUTS = (DiagnoseOutput, OperatingPolicyOutput)


def diagnosis_json(diagnosis: Diagnosis) -> str:
    """A diagnosis as JSON."""
    return json_text(DiagnoseOutput, diagnosis, exit_code=diagnosis.exit_code)

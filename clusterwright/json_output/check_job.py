"""The JSON output of `clusterwright check-job`."""

from __future__ import annotations

from typing import Literal

from clusterwright.json_output.base import Envelope, field, json_text
from clusterwright.json_output.check import FindingOutput, RuleOutput, Summary, UnknownOutput
from clusterwright.preflight.results import CheckResult


class JobFindingOutput(FindingOutput):
    """One problem that a rule found in the job file."""

    path: str = field("What it is about: an option, a variable, or `command`; may be empty.")


class JobUnknownOutput(UnknownOutput):
    """One part of the job file that could not be checked."""

    path: str = field("What it is about: an option, a variable, or `command`; may be empty.")


class CheckJobOutput(Envelope):
    """The result of every rule. `findings` holds all that counts for the exit code."""

    command: Literal["check-job"] = "check-job"
    file: str = field("The file of the spec.", validation_alias="spec")
    job_file: str = field("The job file.", validation_alias="file")
    environment: str = field("The cluster's name.")
    rules: tuple[RuleOutput, ...] = field("Every rule.")
    findings: tuple[JobFindingOutput, ...] = field("Most severe first.")
    unknown: tuple[JobUnknownOutput, ...] = field(
        "What could not be checked.", validation_alias="unanswered"
    )
    summary: Summary = field("Number of rules by status.")


OUTPUTS = (CheckJobOutput,)


def check_job_json(result: CheckResult, exit_code: int, spec: str) -> str:
    """The result of a check of a job file as JSON."""
    return json_text(CheckJobOutput, result, exit_code=exit_code, spec=spec)

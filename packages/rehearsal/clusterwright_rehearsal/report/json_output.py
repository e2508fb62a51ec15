"""The JSON output of `clusterwright rehearse`, and its JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BeforeValidator, ConfigDict, WithJsonSchema

from clusterwright.json_output.base import Count, Envelope, Output, field, json_text
from clusterwright.json_output.schemas import output_schema
from clusterwright_rehearsal.report.text import ScenarioRow
from clusterwright_rehearsal.verdict import (
    NodeResult,
    Phase,
    Promise,
    Skipped,
    StepResult,
    Verdict,
)

Entry = TypeVar("Entry")


def _rounded(entry: Any) -> Any:
    floats = {name: value for name, value in vars(entry).items() if isinstance(value, float)}
    return replace(entry, **{name: round(value, 3) for name, value in floats.items()})


Rounded = Annotated[Entry, BeforeValidator(_rounded)]
"""A result whose numbers have three decimals."""


class SummaryOutput(Output):
    """Number of promises by status."""

    model_config = ConfigDict(extra="forbid")

    held: Count = field("Promises that held.")
    broken: Count = field("Promises that are broken.")
    unknown: Count = field("Promises whose result is unknown.")


class LogOutput(Output):
    """The end of a failed node's log."""

    node: str = field("The node.")
    log: str = field("The text.")


EVENT: Final = {
    "type": "object",
    "required": ["time", "event", "node", "instance_id"],
    "properties": {
        "time": {"type": "number", "minimum": 0, "description": "Seconds since the epoch."},
        "event": {"type": "string"},
        "node": {"type": "string"},
        "instance_id": {"type": "string"},
    },
}


class RehearseOutput(Envelope):
    """The verdict of a rehearsal."""

    command: Literal["rehearse"] = "rehearse"
    config: str = field("The file of the spec.")
    cluster: str = field("The cluster's name.")
    suite: str = field("The Debian suite of the nodes.")
    slurm: str | None = field("Version of Slurm; null where none ran.")
    promises: tuple[Rounded[Promise], ...] = field("Every promise.")
    nodes: tuple[Rounded[NodeResult], ...] = field("Every node.")
    steps: tuple[Rounded[StepResult], ...] = field("Steps of the node program.")
    skipped: tuple[Skipped, ...] = field("What was not done.")
    summary: SummaryOutput = field("Number of promises by status.")
    phases: tuple[Rounded[Phase], ...] = field("Phases of the rehearsal.")
    notes: tuple[str, ...] = field("What to know about the rehearsal.")
    not_covered: tuple[str, ...] = field("What no promise covers.")
    failure_logs: tuple[LogOutput, ...] = field("Logs of failed nodes.")
    timeline: tuple[Annotated[Any, WithJsonSchema(EVENT)], ...] = field("Events in order of time.")


class CleanOutput(Envelope):
    """With --clean: what earlier runs left behind."""

    command: Literal["rehearse"] = "rehearse"
    removed: tuple[str, ...] = field("What was removed.")
    left: tuple[str, ...] = field("What could not be removed.")
    alive: tuple[str, ...] = field("Runs that are still active.")


class ScenarioOutput(Output):
    """One scenario."""

    name: str = field("Its name.")
    title: str = field("Its title.")
    promises: tuple[str, ...] = field("Its promises.")
    default: bool = field("Whether it runs without --scenario and --all.")


class ListOutput(Envelope):
    """With --list: the scenarios."""

    command: Literal["rehearse"] = "rehearse"
    scenarios: tuple[ScenarioOutput, ...] = field("Every scenario.")


def verdict_json(verdict: Verdict) -> str:
    """A verdict as JSON."""
    return json_text(
        RehearseOutput,
        verdict,
        summary={status: verdict.count(status) for status in ("held", "broken", "unknown")},
        failure_logs=tuple({"node": node, "log": log} for node, log in verdict.failure_logs),
    )


def cleaned_json(
    removed: Sequence[str], left: Sequence[str], alive: Sequence[str], code: int
) -> str:
    """What `--clean` did, as JSON."""
    return json_text(CleanOutput, removed=removed, left=left, alive=alive, exit_code=code)


def scenarios_json(rows: Sequence[ScenarioRow]) -> str:
    """The scenarios as JSON."""
    scenarios = tuple(vars(row) for row in rows)
    return json_text(ListOutput, exit_code=0, scenarios=scenarios)


def schema() -> dict[str, Any]:
    """The JSON Schema of the output."""
    return output_schema("rehearse", RehearseOutput, CleanOutput, ListOutput)

"""The JSON that `localaws verify` and `localaws replay` write, and the lines of a recording."""

from __future__ import annotations

from typing import Any, Literal

from clusterwright.json_output.base import Count, Envelope, Output, PositiveCount, Usd, field


class ProbeDifferenceOutput(Output):
    """One thing that the endpoint answers otherwise than AWS."""

    step: PositiveCount = field("The number of the probe's step, from 1.")
    operation: str = field("Service and operation of the step, such as `ec2.CreateVpc`.")
    member: str = field("The path of the member in the answer, or the part of the error.")
    expected: str = field("What AWS answers, in words.")
    answered: str = field("What the endpoint answered.")


class ProbeOutput(Output):
    """What became of one probe."""

    id: str = field("The probe's id.")
    shows: str = field("The behaviour of AWS that it shows.")
    sources: tuple[str, ...] = field("Where the fact comes from.")
    verdict: Literal["same", "different", "unknown", "not_tried"] = field(
        "Whether the endpoint answers as AWS does."
    )
    reason: str = field("Why it is unknown or was not tried; else empty.")
    differences: tuple[ProbeDifferenceOutput, ...] = field("Every difference.")


class ProbeCountsOutput(Output):
    """Number of probes by verdict."""

    same: Count = field("Probes that the endpoint answers as AWS does.")
    different: Count = field("Probes that it answers otherwise.")
    unknown: Count = field("Probes about which nothing is known.")
    not_tried: Count = field("Probes that did not run.")


class VerifyOutput(Envelope):
    """The comparison of an endpoint with the probes. Ids and account numbers are replaced."""

    command: Literal["localaws verify"] = "localaws verify"
    exit_code: Literal[0, 1, 2, 130] = field(  # type: ignore[assignment]
        "The exit code of the command; 130 after an interruption."
    )
    region: str = field("The region.")
    interrupted: bool = field("Whether the run was interrupted.")
    cost_usd: Usd = field("The most that the chosen probes cost on AWS, in USD.")
    counts: ProbeCountsOutput = field("Number of probes by verdict.")
    probes: tuple[ProbeOutput, ...] = field("Every probe, those that ran first.")
    left_behind: tuple[str, ...] = field("What was created and could not be deleted.")


class CallDifferenceOutput(Output):
    """A member that the local AWS answers otherwise than the recording."""

    member: str = field("The path of the member in the answer.")
    recorded: str = field("What the recording has.")
    answered: str = field("What the local AWS answered.")


class ReplayedCallOutput(Output):
    """One call of the recording, and how the local AWS answered it."""

    number: PositiveCount = field("The number of the call in the recording.")
    call: str = field("Service and operation; the service alone where the call is not readable.")
    verdict: Literal["same", "different", "unknown", "skipped"] = field(
        "Whether the local AWS answers as recorded; `skipped` where the same read follows."
    )
    reason: str = field("Why it is unknown or was skipped; else empty.")
    differences: tuple[CallDifferenceOutput, ...] = field("Every difference.")


class ReplayOutput(Envelope):
    """The comparison of the local AWS with a recording, call by call."""

    command: Literal["localaws replay"] = "localaws replay"
    exit_code: Literal[0, 1, 2] = field("The exit code of the command.")
    calls: tuple[ReplayedCallOutput, ...] = field("Every call, in the order of the recording.")


class RecordingHeader(Output):
    """The first line of a recording."""

    schema_version: Literal[1] = field("Goes up when a key is renamed or removed.")
    kind: Literal["localaws-recording"] = field("What the file is.")


class RecordedErrorOutput(Output):
    """The error of a refused call."""

    code: str = field("AWS's error code.")
    message: str = field("AWS's message.")


class RecordedCall(Output):
    """One call of a recording: every line but the first. Secrets are `<redacted>`."""

    number: PositiveCount = field("The number of the call, from 1.")
    time: str = field("When the answer came, in ISO 8601.")
    service: str = field("The service, as boto3 names it.")
    operation: str | None = field("The operation; null where the request was not readable.")
    region: str | None = field("The region for which the client signed.")
    status: int = field("The HTTP status of the answer.")
    error: RecordedErrorOutput | None = field("The error; null where AWS did not refuse.")
    parameters: dict[str, Any] | None = field("The parameters, named as in the API model.")
    answer: dict[str, Any] | None = field("The members of the answer.")


def schemas() -> dict[str, dict[str, Any]]:
    """Content of each file, by its name."""
    from clusterwright.json_output.schemas import document_schema

    return {
        "localaws-verify-output.schema.json": document_schema(
            "The output of `clusterwright localaws verify --format json`", VerifyOutput
        ),
        "localaws-replay-output.schema.json": document_schema(
            "The output of `clusterwright localaws replay --format json`", ReplayOutput
        ),
        "localaws-recording.schema.json": document_schema(
            "A line of the file that `clusterwright localaws record` writes",
            RecordingHeader,
            RecordedCall,
        ),
    }

"""The JSON output of `clusterwright check`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema

from clusterwright.json_output.base import (
    Called,
    Count,
    Envelope,
    Joined,
    NotNegative,
    Number,
    Output,
    PositiveCount,
    RuleId,
    at,
    field,
    json_text,
    optional,
)
from clusterwright.preflight.account_results import Permission, RequestPlan, Stage, State
from clusterwright.preflight.results import STATUSES, Amount, CheckResult, Severity, Status

Summary = Annotated[
    dict[str, int],
    Called,
    WithJsonSchema(
        {
            "type": "object",
            "required": list(STATUSES),
            "properties": {status: {"type": "integer", "minimum": 0} for status in STATUSES},
            "additionalProperties": False,
        }
    ),
]


class RuleOutput(Output):
    """The result of one rule."""

    rule: RuleId = field("The rule's id, such as `CW-Q012`.")
    status: Status = field("The result of the rule.")
    title: str | None = field("Null for a rule that was skipped.")
    severity: Severity | None = field("Null for a rule that was skipped.")
    scope: Annotated[
        Literal["offline", "account"], BeforeValidator(lambda a: "account" if a else "offline")
    ] = field("Whether the rule reads the account.", validation_alias="account")
    tested: Count = field("Number of subjects; 0 is a pass with nothing to test.")
    skipped_because: str | None = field("The option that left the rule out.")
    crash: str | None = field("The exception, where the rule crashed.")


class _Located(Output):
    """What a finding and an unknown have in common."""

    rule: RuleId = field("The rule's id, such as `CW-Q012`.")
    severity: Severity = field("The rule's severity.")
    path: str = field("The key of the spec, such as `compute[2].count`.")
    file: str | None = at("position.file", "The file of the spec.")
    line: PositiveCount | None = at("position.line", "Line, from 1.")
    column: PositiveCount | None = at("position.column", "Column, from 1.")
    message: str = field("What is wrong or unknown, in a sentence.")


class FindingOutput(_Located):
    """One problem that a rule found."""

    requested: Amount = field("What the spec requests.")
    used: Amount = field("What is in use already.")
    limit: Amount = field("The limit that is exceeded.")
    where: str | None = field("Region, zone, quota or resource of the numbers.")
    quota_code: str | None = field("Code of the quota in Service Quotas.")
    hint: str | None = field("What to do about it.")
    doc: str | None = field("The rule in the documentation.")


class WaiverOutput(Output):
    """A waiver of the spec."""

    reason: str = field("Why the finding is accepted.")
    expires: dt.date = field("The last day of the waiver.")


class WaivedOutput(FindingOutput):
    """A finding that a waiver of the spec accepts."""

    waiver: WaiverOutput = field("The waiver.")


WaivedFinding = Annotated[
    WaivedOutput, BeforeValidator(lambda waived: Joined(waived.finding, waiver=waived))
]


class UnknownOutput(_Located):
    """One subject that a rule could not check."""

    hint: str | None = field("What to do about it.")
    doc: str | None = field("The rule in the documentation.")
    service: str | None = field("The AWS service that did not answer.")
    operation: str | None = field("The API operation that failed.")
    iam_action: str | None = field("The IAM action that is missing.")
    region: str | None = field("The region of the API call.")
    reason: str | None = field("Why AWS did not answer, such as `denied`.")


class QuotaRequestOutput(Output):
    """One increase to request from Service Quotas; amounts in the quota's unit."""

    service: str = at("need.service", "Service code, such as `sagemaker`.")
    quota_code: str | None = at("need.code", "Null where no source gives it.")
    name: str = at("need.name", "Name of the quota.")
    limit: Number | None = at("need.limit", "The applied limit.")
    used: Number | None = at("need.used", "In use by others.")
    desired: Number | None = at("need.desired", "The value to request.")
    adjustable: bool | None = at("need.adjustable", "As Service Quotas states.")
    rules: tuple[str, ...] = field("Ids of the rules that need it.")
    reasons: tuple[str, ...] = field("What it is needed for.")
    stages: tuple[Stage, ...] = field("The steps of the ramp.")
    state: State = field("What became of the request.")
    request_id: str | None = field("Id of the request in Service Quotas.")
    case_id: str | None = field("Id of the support case.")
    status: str | None = field("The request's status in Service Quotas.")
    open_for: Number | None = field("Value of a request that is open already.")
    message: str | None = field("The error of AWS, where it refused the request.")


class UnknownRule(Output):
    """A rule that could not be checked, so that a request may be missing."""

    rule: RuleId = field("The rule's id.")
    message: str = field("What is unknown.")


class QuotaRequestsOutput(Output):
    """What the cluster needs of Service Quotas."""

    start: dt.date | None = field("Start of the run.")
    lead_days: Number | None = field("Days that AWS takes, as --lead-days states.")
    file_by: dt.date | None = field("Latest day to file the requests.")
    file_by_unknown: str | None = field("Why that day is unknown.")
    nodes: Count = field("Nodes of the cluster.")
    account_team: bool = field("Whether the account team should be asked first.")
    requests: tuple[QuotaRequestOutput, ...] = field("The requests.")
    unknown: tuple[UnknownRule, ...] = field("Rules that could not be checked.")


class CheckOutput(Envelope):
    """The result of every rule. `findings` holds all that counts for the exit code."""

    command: Literal["check"] = "check"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    rules: tuple[RuleOutput, ...] = field("Every rule.")
    findings: tuple[FindingOutput, ...] = field("Most severe first.")
    unknown: tuple[UnknownOutput, ...] = field(
        "What could not be checked.", validation_alias="unanswered"
    )
    waived: tuple[WaivedFinding, ...] = field("Findings that a waiver accepts.")
    summary: Summary = field("Number of rules by status.")
    calls: Count = field("Facts that were read from AWS.")
    api_calls: Count = field("AWS API calls, each page counted.")
    longest_chain: Count = field("Most API calls that had to follow one another.")
    seconds: Annotated[NotNegative, BeforeValidator(lambda value: round(value, 3))] = field(
        "Duration of the check."
    )
    quota_requests: QuotaRequestsOutput | None = optional("With --request-quotas.")


class PolicyOutput(Envelope):
    """With --iam-policy: the read-only policy that the check needs."""

    command: Literal["check"] = "check"
    policy: dict[str, Any] = field("An IAM policy document.")
    permissions: tuple[Permission, ...] = field("Why each action is in it.")


OUTPUTS = (CheckOutput, PolicyOutput)


def check_json(
    result: CheckResult, exit_code: int, quota_requests: RequestPlan | None = None
) -> str:
    """The result of a check as JSON."""
    return json_text(CheckOutput, result, exit_code=exit_code, quota_requests=quota_requests)


def policy_json(document: Mapping[str, Any], permissions: Iterable[Permission]) -> str:
    """A policy document as JSON, with the rules that need each action."""
    return json_text(PolicyOutput, exit_code=0, policy=document, permissions=tuple(permissions))

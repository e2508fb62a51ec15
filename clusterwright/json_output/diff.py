"""The JSON output of `clusterwright diff`."""

from __future__ import annotations

from typing import Literal

from clusterwright.json_output.base import (
    Count,
    Envelope,
    Number,
    Output,
    RuleId,
    UsdChange,
    at,
    field,
    json_text,
)
from clusterwright.json_output.check import FindingOutput, WaivedFinding
from clusterwright.review.results import (
    Action,
    Certainty,
    DeploymentBlocker,
    Effect,
    GateResult,
    Review,
    ScriptsChange,
    ServiceRule,
    SpecChange,
    Summary,
    UncheckedResource,
    Unknown,
    Verdict,
)


class ResourceOutput(Output):
    """What a deployment does to one resource."""

    stack: str = field("Its stack.")
    logical_id: str = field("Its logical id.")
    type: str = field("Its CloudFormation type.")
    effect: Effect = field("Effect on what exists; `none` for a new resource.")
    data_loss: bool = field("Data in it is destroyed.")
    job_loss: bool = field("Jobs that run on it end.")
    protection_loss: bool = field("Deleting its stack deletes its data, which was kept before.")
    action: Action = field("What CloudFormation does.")
    certainty: Certainty = field("`aws` where a change set states it.")
    holds: str | None = field("What it holds that cannot be created again.")
    outcome: str | None = field("What becomes of that, in a sentence.")
    properties: tuple[str, ...] = field("Properties that change.")
    reasons: tuple[str, ...] = field("Why, in sentences.")
    follows: tuple[str, ...] = field("Resources (`stack/id`) whose changes change this one.")


class NodesOutput(Output):
    """What becomes of the nodes of one group."""

    group: str = field("The compute group.")
    change: str = field("Such as `grown` or `replaced`.")
    before: Count = field("Instances before.")
    after: Count = field("Instances after.")
    jobs: Literal["die", "wait", "none"] = field("What becomes of running jobs.")
    message: str = field("The change in a sentence.")
    resource: str | None = field("The resource whose change ends the nodes; null if none does.")


class AccessOutput(Output):
    """Access that the change adds."""

    stack: str = field("The stack.")
    logical_id: str = field("The resource.", validation_alias="where")
    message: str = field("What is allowed, in a sentence.")


class ReviewTotal(Output):
    """Sums of the known lines of one bill."""

    hourly_usd: UsdChange = field("Per hour.")
    monthly_usd: UsdChange = field("Per month of 730 hours.")
    run_usd: UsdChange | None = field("For the run; null without its hours.")
    unknown_lines: Count = field("Lines that are not in the sums.")


class LineChange(Output):
    """One line of the bill that differs."""

    component: str = field("The part of the cluster.")
    item: str = field("What is paid for.")
    change: Literal["added", "removed", "changed"] = field("How it differs.")
    before_monthly_usd: UsdChange | None = at("before.monthly_usd", "Before.")
    after_monthly_usd: UsdChange | None = at("after.monthly_usd", "After.")
    monthly_usd: UsdChange | None = field("The difference; null where unknown.")


class CostChange(Output):
    """What the change costs."""

    hourly_usd: UsdChange = field("Per hour.")
    monthly_usd: UsdChange = field("Per month of 730 hours.")
    run_usd: UsdChange | None = field("For the run; null unless both have one.")
    percent: UsdChange | None = field(
        "Of the month; null without a cost before.", validation_alias="increase_percent"
    )
    unknown_changes: Count = field("Lines that change and whose cost is unknown.")
    scenario_hourly_usd: UsdChange | None = at(
        "scenario.hourly_usd", "Where changed instances have no price: with indications, per hour."
    )
    scenario_monthly_usd: UsdChange | None = at("scenario.monthly_usd", "The same per month.")
    before: ReviewTotal = at("before.total", "The bill before.")
    after: ReviewTotal = at("after.total", "The bill after.")
    lines: tuple[LineChange, ...] = field("The lines that differ.", validation_alias="changed")


class QuotaChange(Output):
    """What the cluster needs of one quota, in the quota's own unit."""

    service: str = field("Service code.")
    code: str | None = field("Code of the quota; null where no source gives it.")
    label: str = field("What is counted.")
    unit: str = field("The unit.")
    before: Number = field("Before.")
    after: Number = field("After.")
    delta: Number = field("The difference.")
    limit: Number | None = field("The applied limit; null without AWS's answer.")


class UncheckedRule(Output):
    """What a rule could not check."""

    rule: RuleId = field("The rule's id.")
    path: str = field("The key of the spec.")
    message: str = field("What is unknown.")
    hint: str | None = field("What to do about it.")
    iam_action: str | None = field("The IAM action that is missing.")


class FindingsChange(Output):
    """Findings of both versions."""

    new: tuple[FindingOutput, ...] = field("Of the change, or with another message.")
    fixed: tuple[FindingOutput, ...] = field("Of the base only.")
    waived: tuple[WaivedFinding, ...] = field("Findings that a waiver accepts.")
    standing: tuple[FindingOutput, ...] = field("The same in both.")
    unknown: tuple[UncheckedRule, ...] = field(
        "What could not be checked.", validation_alias="unanswered"
    )


class DiffOutput(Envelope):
    """The review of a change."""

    command: Literal["diff"] = "diff"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    base: str = field("What it is compared with.")
    verdict: Verdict = field("The result of the review.")
    summary: Summary | None = field("What to decide from, in five sentences.")
    gates: tuple[GateResult, ...] = field("Every gate.")
    changes: tuple[SpecChange, ...] = field("Values of the resolved spec.")
    resources_known: bool = field("Whether templates or change sets were compared.")
    resources: tuple[ResourceOutput, ...] = field("Resources that are affected.")
    obstacles: tuple[DeploymentBlocker, ...] = field(
        "Why the deployment would fail.", validation_alias="deployment_blockers"
    )
    nodes: tuple[NodesOutput, ...] = field("Node groups that change.")
    service_rules: tuple[ServiceRule, ...] = field(
        "What services do with updates in place, and to which nodes."
    )
    access: tuple[AccessOutput, ...] = field("Wider IAM access.")
    network: tuple[AccessOutput, ...] = field(
        "Wider network access.", validation_alias="wider_network"
    )
    scripts: ScriptsChange | None = field("Null where no script differs.")
    cost_delta: CostChange | None = field("The cost.", validation_alias="cost")
    quota_delta: tuple[QuotaChange, ...] = field(
        "Quotas that the cluster uses.", validation_alias="quotas"
    )
    findings: FindingsChange = field("Findings of `clusterwright check`.")
    unknown: tuple[Unknown, ...] = field("What is unknown of the review.")
    notes: tuple[str, ...] = field("What to know about the review.")
    drift: tuple[SpecChange, ...] = field("Drift of deployed resources.")
    drift_unchecked: tuple[UncheckedResource, ...] = field(
        "Deployed resources whose drift nothing checked."
    )
    plan: tuple[SpecChange, ...] = field("The recorded plan against the spec.")


OUTPUTS = (DiffOutput,)


def diff_json(review: Review) -> str:
    """A review as JSON."""
    return json_text(DiffOutput, review)

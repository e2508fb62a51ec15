"""The JSON output of diff."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json

import jsonschema

from clusterwright.json_output.diff import diff_json
from clusterwright.json_output.schemas import schemas
from clusterwright.preflight.results import Finding, Unanswered, Waived
from clusterwright.review.results import (
    AccessChange,
    DeploymentBlocker,
    FindingsDelta,
    GateResult,
    NodesChange,
    QuotaDelta,
    ResourceChange,
    Review,
    ScriptsChange,
    SpecChange,
    Unknown,
)

TODAY = dt.date(2026, 11, 20)


def review(text: str = "text", many: int = 1) -> Review:
    """A review with `many` entries of each kind, each with `text`."""
    finding = Finding(
        rule="CW-Q001", severity="error", path=text, message=text, hint=text, limit=8
    )
    unanswered = Unanswered(rule="CW-Q002", severity="error", path=text, message=text, hint=text)
    return Review(
        file=text,
        environment="prod",
        base=text,
        changes=(SpecChange(text, text, {"a": text}),) * many,
        resources=(
            ResourceChange(
                stack="prod-storage", logical_id=text, type=text, effect="replace",
                action="replace", reasons=(text, text), properties=(text,), holds=text,
                data_loss=True, outcome=text, job_loss=True,
            ),
        ) * many,
        deployment_blockers=(
            DeploymentBlocker(kind="cannot-shrink", where=text, message=text, hint=text),
        )
        * many,
        nodes=(
            NodesChange(
                group=text, change="shrunk", before=64, after=8, jobs="die", message=text
            ),
        ) * many,
        access=(AccessChange(text, text, text),) * many,
        wider_network=(AccessChange(text, text, text),) * many,
        scripts=ScriptsChange((text,) * many, (text,), (text,), True, text),
        quotas=(
            QuotaDelta(
                service="sagemaker", code="L-1", label=text, unit=text, before=8, after=64.5
            ),
        ) * many,
        findings=FindingsDelta(
            new=(finding,) * many,
            fixed=(finding,) * many,
            waived=(Waived(finding=finding, reason=text, expires=TODAY),) * many,
            standing=(finding,) * many,
            unanswered=(unanswered,) * many,
        ),
        gates=(
            GateResult(gate="replacement", status="fail", name=text, message=text, hint=text),
        ) * many,
        unknown=(Unknown(text, text, text),) * many,
        notes=(text,) * many,
        drift=(SpecChange(text, "1", "2"),) * many,
        plan=(SpecChange(text, 512, 64),) * many,
        today=TODAY,
    )  # fmt: skip


NOTHING = Review(file="configs/dev.yaml", environment="dev", base="main", today=TODAY)


def test_json_matches_the_schema() -> None:
    schema = schemas()["diff-output.schema.json"]
    for one in (review(), NOTHING, dataclasses.replace(review(), scripts=None)):
        answer = json.loads(diff_json(one))
        jsonschema.validate(answer, schema)
        assert answer["exit_code"] == one.exit_code
        assert answer["verdict"] == one.verdict

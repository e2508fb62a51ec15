"""A check result with every kind of entry."""

from __future__ import annotations

import datetime as dt

from clusterwright.cluster_spec.problems import Position
from clusterwright.preflight.results import (
    CheckResult,
    Finding,
    RuleResult,
    Unanswered,
    Waived,
)

COUNT = Position("configs/prod.yaml", 22, 12, 2, "    count: 64")
PYXIS = Position("configs/base.yaml", 18, 23, 4, "  containers: {pyxis: true}")
CIDR = Position("configs/base.yaml", 9, 9, 11, "  cidr: 10.0.0.0/24")

QUOTA = Finding(
    rule="CW-Q012",
    severity="error",
    path="compute[2].count",
    message='64 × ml.p5.48xlarge need 64 of "instances in reserved capacity across training '
    'plans", 8 are free in us-east-1',
    position=COUNT,
    requested=64,
    used=0,
    limit=8,
    where="sagemaker/L-9EF527CA in us-east-1",
    quota_code="L-9EF527CA",
    hint="request 64; allow days to weeks",
    doc="docs/reference/rules.md#cw-q012",
)
CONTAINERS = Finding(
    rule="CW-L002",
    severity="warning",
    path="slurm.containers.pyxis",
    message="whether <b>containers</b> run | or not",
    position=PYXIS,
)
RANGE = Finding(
    rule="CW-N003",
    severity="error",
    path="network.cidr",
    message="the cluster needs 2,300 addresses",
    position=CIDR,
    requested=2300,
    limit=251,
    where="use1-az6",
)


def _denied(rule: str, path: str) -> Unanswered:
    return Unanswered(
        rule=rule,
        severity="error",
        path=path,
        message=f"A title of {rule}: fsx DescribeFileSystems in us-east-1 was denied: this "
        "identity lacks fsx:DescribeFileSystems",
        position=COUNT,
        hint="allow fsx:DescribeFileSystems for this identity",
        service="fsx",
        operation="DescribeFileSystems",
        iam_action="fsx:DescribeFileSystems",
        region="us-east-1",
        reason="denied",
    )


BUDGET = Unanswered(
    rule="CW-B001",
    severity="error",
    path="budget",
    message="a month costs at least 1.00 USD of 2.00 USD, but 1 line is unknown",
    hint="`clusterwright cost` has the lines",
)

RESULT = CheckResult(
    file="configs/prod.yaml",
    environment="prod",
    rules=(
        RuleResult(
            rule="CW-B001",
            title="A month costs no more than its budget",
            severity="error",
            account=False,
            status="unknown",
            tested=1,
        ),
        RuleResult(
            rule="CW-L002",
            title="Containers",
            severity="warning",
            account=False,
            status="fail",
            tested=1,
        ),
        RuleResult(
            rule="CW-N003",
            title="Addresses",
            severity="error",
            account=False,
            status="waived",
            tested=1,
        ),
        RuleResult(
            rule="CW-Q012",
            title="Quota of instances in training plans",
            severity="error",
            account=True,
            status="fail",
            tested=1,
        ),
        RuleResult(
            rule="CW-Q030",
            title="Lustre storage capacity",
            severity="error",
            account=True,
            status="unknown",
            tested=1,
        ),
        RuleResult(
            rule="CW-Q031",
            title="Number of Lustre file systems",
            severity="error",
            account=True,
            status="unknown",
            tested=1,
        ),
        RuleResult(
            rule="CW-S005", title="Nothing", severity="error", account=False, status="pass"
        ),
        RuleResult(rule="CW-Q040", account=True, status="skipped", skipped_because="--skip"),
    ),
    findings=(QUOTA, CONTAINERS),
    unanswered=(BUDGET, _denied("CW-Q030", "storage"), _denied("CW-Q031", "storage")),
    waived=(Waived(finding=RANGE, reason="widened in January", expires=dt.date(2027, 1, 31)),),
    calls=7,
    seconds=1.25,
)
CLEAN = CheckResult(
    file="configs/dev.yaml",
    environment="dev",
    rules=(
        RuleResult(
            rule="CW-N003",
            title="Addresses",
            severity="error",
            account=False,
            status="pass",
            tested=1,
        ),
    ),
)

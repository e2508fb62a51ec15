"""Comparison of the findings of two versions."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.preflight.results import CheckResult, Finding, Waived
from clusterwright.review.findings_delta import findings_delta
from clusterwright.review.gates import (
    finding_gates,
)
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def finding(
    rule: str, message: str = "m", path: str = "compute[1]", severity: Any = "error"
) -> Finding:
    return Finding(rule=rule, severity=severity, path=path, message=message)


def test_findings_are_new_fixed_or_unchanged(tmp_path: Path) -> None:
    waived = Waived(finding=finding("CW-N003"), reason="agreed with them", expires=TODAY)
    before = CheckResult(
        "f", "e", (), (finding("CW-A001"), finding("CW-A002"), finding("CW-N003"))
    )
    after = CheckResult(
        "f", "e", (), (finding("CW-A002"), finding("CW-A003"), finding("CW-A001", "worse")),
        waived=(waived,),
    )  # fmt: skip
    spec = specs.load(tmp_path)
    found = findings_delta(before, after, base=spec, change=spec)
    assert [f.rule for f in found.new] == ["CW-A003", "CW-A001"]
    assert [f.rule for f in found.standing] == ["CW-A002"]
    assert found.fixed == ()
    assert [w.finding.rule for w in found.waived] == ["CW-N003"]
    assert len(list(finding_gates(found, "error"))) == 2


def test_renumbered_group_keeps_its_findings(tmp_path: Path) -> None:
    one = specs.load(tmp_path)
    data = specs.changed({})
    two = specs.load(tmp_path, {"compute": list(reversed(data["compute"]))})
    before = CheckResult("f", "e", (), (finding("CW-A001", path="compute[1].count"),))
    after = CheckResult("f", "e", (), (finding("CW-A001", path="compute[0].count"),))
    assert findings_delta(before, after, base=one, change=two).new == ()

"""The text of `drift`."""

from __future__ import annotations

from clusterwright.operate.results import Difference, DriftReport, NotCompared
from clusterwright.render.drift import drift_text


def test_text() -> None:
    found = DriftReport(
        file="test.yaml",
        environment="test",
        account="111122223333",
        region="us-east-1",
        stacks=("test-network",),
        differences=(Difference("n/Nodes", "rules", "tcp 22-22 from 0.0.0.0/0", None, "stack"),),
        not_compared=(NotCompared("AWS::KMS::Alias: n/Key", "no API call", "do it"),),
        unreadable=False,
    )
    assert drift_text(found).splitlines() == [
        "stack: n/Nodes.rules",
        "  deployed  tcp 22-22 from 0.0.0.0/0",
        "  file      (none)",
        "",
        "not compared: AWS::KMS::Alias: n/Key: no API call",
        "  hint: do it",
        "",
        "test: 1 difference, 1 stack compared, 1 entry not compared",
    ]
    assert found.exit_code == 1

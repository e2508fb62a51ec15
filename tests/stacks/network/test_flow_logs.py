"""Flow logs of the VPC."""

from __future__ import annotations

from tests.stacks.templates import only
from tests.support.rich_specs import MINIMAL, changed
from tests.support.synthesis import Build


def test_flow_logs_have_an_encrypted_group_with_a_retention(build: Build) -> None:
    assembly = build(changed(MINIMAL, network__flow_log_retention_days=400))
    log = only(assembly, "AWS::EC2::FlowLog")
    assert (log["TrafficType"], log["ResourceType"]) == ("ALL", "VPC")
    group = assembly.templates["test-network"]["Resources"][log["LogGroupName"]["Ref"]]
    assert group["Properties"]["RetentionInDays"] == 400
    assert group["Properties"]["KmsKeyId"]
    assert group["DeletionPolicy"] == "Delete"

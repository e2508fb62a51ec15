"""Drift: differences between a resource and its template."""

from __future__ import annotations

import pytest

from packages.localaws.tests.cloudformation.drifting import BODY, drifts, physical
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    create,
    described,
)

pytestmark = pytest.mark.usefixtures("local")


def test_new_stack_is_in_sync() -> None:
    create("one", BODY)
    found = {name: one["StackResourceDriftStatus"] for name, one in drifts().items()}
    # A rule that is a separate resource is not drift of its group.
    assert found["Group"] == "IN_SYNC"
    assert found["P"] == found["Logs"] == found["Vpc"] == "IN_SYNC"
    assert found["Budget"] == "NOT_CHECKED"
    assert described("one")["DriftInformation"]["StackDriftStatus"] == "IN_SYNC"


def test_changed_value_is_drift() -> None:
    create("one", BODY)
    aws("ssm").put_parameter(Name=physical("P"), Value="2", Overwrite=True)
    item = drifts()["P"]
    assert item["StackResourceDriftStatus"] == "MODIFIED"
    assert item["PropertyDifferences"] == [
        {
            "PropertyPath": "/Value",
            "ExpectedValue": "1",
            "ActualValue": "2",
            "DifferenceType": "NOT_EQUAL",
        }
    ]
    assert described("one")["DriftInformation"]["StackDriftStatus"] == "DRIFTED"


def test_deleted_resource_is_drift() -> None:
    create("one", BODY)
    aws("logs").delete_log_group(logGroupName=physical("Logs"))
    assert drifts()["Logs"]["StackResourceDriftStatus"] == "DELETED"


def test_rule_added_outside_the_stack_is_drift() -> None:
    create("one", BODY)
    aws("ec2").authorize_security_group_ingress(
        GroupId=physical("Group"),
        IpPermissions=[
            {
                "IpProtocol": "tcp",
                "FromPort": 3389,
                "ToPort": 3389,
                "IpRanges": [{"CidrIp": "0.0.0.0/0"}],
            }
        ],
    )
    item = drifts()["Group"]
    assert item["StackResourceDriftStatus"] == "MODIFIED"
    (difference,) = item["PropertyDifferences"]
    assert difference["DifferenceType"] == "ADD"
    assert "3389" in difference["ActualValue"]

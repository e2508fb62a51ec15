"""Detection of drift: of a stack, of one resource, and by filters."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.planning import handler_of
from packages.localaws.tests.cloudformation.drifting import BODY, drifts, physical
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    create,
)

pytestmark = pytest.mark.usefixtures("local")


def test_drift_of_one_resource_is_detected() -> None:
    create("one", BODY)
    aws("ssm").put_parameter(Name=physical("P"), Value="2", Overwrite=True)
    found = cloudformation().detect_stack_resource_drift(StackName="one", LogicalResourceId="P")
    assert found["StackResourceDrift"]["StackResourceDriftStatus"] == "MODIFIED"
    cloudformation().detect_stack_drift(StackName="one", LogicalResourceIds=["Vpc"])
    looked_at = cloudformation().describe_stack_resource_drifts(StackName="one")
    names = {drift["LogicalResourceId"] for drift in looked_at["StackResourceDrifts"]}
    assert names == {"P", "Vpc"}


def test_filters_are_applied_and_unknown_names_refused() -> None:
    create("one", BODY)
    drifts()
    found = cloudformation().describe_stack_resource_drifts(
        StackName="one", StackResourceDriftStatusFilters=["NOT_CHECKED"]
    )
    assert "Budget" in {drift["LogicalResourceId"] for drift in found["StackResourceDrifts"]}
    assert "P" not in {drift["LogicalResourceId"] for drift in found["StackResourceDrifts"]}
    with pytest.raises(ClientError, match="Resource X does not exist for stack one"):
        cloudformation().detect_stack_resource_drift(StackName="one", LogicalResourceId="X")
    with pytest.raises(ClientError, match="does not exist"):
        cloudformation().describe_stack_drift_detection_status(StackDriftDetectionId="x" * 36)


def test_resources_are_read_with_the_callers_permissions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resource that the caller may not read is not checked, and the detection failed."""

    def refused(*_: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetParameter")

    create("one", BODY)
    monkeypatch.setattr(type(handler_of("AWS::SSM::Parameter")), "read", refused)
    started = cloudformation().detect_stack_drift(StackName="one")
    found = cloudformation().describe_stack_drift_detection_status(
        StackDriftDetectionId=started["StackDriftDetectionId"]
    )
    assert found["DetectionStatus"] == "DETECTION_FAILED"
    assert found["DetectionStatusReason"].startswith("Failed to detect drift on resources [P")
    drift = cloudformation().describe_stack_resource_drifts(StackName="one")
    status = {
        d["LogicalResourceId"]: d["StackResourceDriftStatus"] for d in drift["StackResourceDrifts"]
    }
    assert (status["P"], status["Vpc"]) == ("NOT_CHECKED", "IN_SYNC")

"""Detection of drift: of a stack, of one resource, and by filters."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

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

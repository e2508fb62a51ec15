"""Tests of services.cloudwatch.fixes.dashboard_tags."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
class TestDashboardTags:
    def test_dashboard_tags_are_returned(self) -> None:
        cloudwatch = client("cloudwatch")
        tags = [{"Key": "team", "Value": "ml"}]
        cloudwatch.put_dashboard(DashboardName="d", DashboardBody="{}", Tags=tags)
        arn = cloudwatch.get_dashboard(DashboardName="d")["DashboardArn"]
        assert cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"] == tags
        more = {"Key": "stage", "Value": "dev"}
        cloudwatch.tag_resource(ResourceARN=arn, Tags=[more])
        # An existing dashboard keeps its tags, whatever PutDashboard says.
        cloudwatch.put_dashboard(DashboardName="d", DashboardBody='{"widgets": []}', Tags=[])
        assert cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"] == [*tags, more]

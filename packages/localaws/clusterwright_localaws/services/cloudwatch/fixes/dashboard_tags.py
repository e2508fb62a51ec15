"""moto's dashboards have no tags."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "CloudWatch: dashboards have tags, set by PutDashboard and TagResource"
REPRODUCTION = """\
cloudwatch = boto3.client("cloudwatch")
tags = [{"Key": "team", "Value": "a"}]
cloudwatch.put_dashboard(DashboardName="d", DashboardBody="{}", Tags=tags)
arn = cloudwatch.get_dashboard(DashboardName="d")["DashboardArn"]
assert cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"] == tags
"""


def apply() -> None:
    from moto.cloudwatch.models import CloudWatchBackend
    from moto.cloudwatch.responses import CloudWatchResponse

    put_in_moto = CloudWatchResponse.put_dashboard
    tag_in_moto = CloudWatchBackend.tag_resource

    def put_dashboard(self: Any) -> Any:
        answer = put_in_moto(self)
        tags = self._get_param("Tags", [])
        if runtime().active and tags:
            backend = self.cloudwatch_backend
            arn = backend.dashboards[self._get_param("DashboardName")].arn
            if not backend.tagger.has_tags(arn):
                # PutDashboard does not change the tags of an existing dashboard.
                backend.tagger.tag_resource(arn, tags)
        return answer

    def tag_resource(self: Any, arn: str, tags: dict[str, str]) -> None:
        if runtime().active and any(
            dashboard.arn == arn for dashboard in self.dashboards.values()
        ):
            self.tagger.tag_resource(arn, self.tagger.convert_dict_to_tags_input(tags))
            return
        tag_in_moto(self, arn, tags)

    CloudWatchResponse.put_dashboard = put_dashboard  # type: ignore[method-assign]
    CloudWatchBackend.tag_resource = tag_resource  # type: ignore[method-assign]

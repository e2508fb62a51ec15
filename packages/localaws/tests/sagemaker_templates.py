"""Templates with HyperPod clusters."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.parts import (
    Site,
)


def cluster(site: Site, *groups: dict[str, Any], **more: Any) -> dict[str, Any]:
    properties = site.request(*groups, **more)
    if properties["ClusterName"] is None:
        del properties["ClusterName"]
    return {"Cluster": {"Type": "AWS::SageMaker::Cluster", "Properties": properties}}

"""The tags of the resource of a request, for the condition keys `aws:ResourceTag` and a service's.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/iam-policy-structure.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam.context import Values


def of_resource(runtime: Runtime, arn: str) -> dict[str, Values]:
    """The keys of an existing resource of EC2, or a cluster; those of others are not filled."""
    parts = arn.split(":", 5)
    if len(parts) < 6 or not parts[4]:
        return {}
    _, _, service, region, account, name = parts
    if service == "ec2":
        tags = _of_ec2(account, region, name)
    elif service == "sagemaker" and name.startswith("cluster/"):
        tags = _of_cluster(runtime, arn)
    else:
        return {}
    return {
        f"{prefix}:ResourceTag/{key}": str(value)
        for key, value in tags.items()
        for prefix in ("aws", service)
    }


def _of_ec2(account: str, region: str, name: str) -> Mapping[str, Any]:
    backend = moto_state.existing("ec2", account, region)
    tags = backend.tags if backend is not None else {}
    return dict(tags.get(name.rpartition("/")[2]) or {})


def _of_cluster(runtime: Runtime, arn: str) -> Mapping[str, Any]:
    for _, _, clusters in runtime.stores("sagemaker-clusters"):
        for cluster in list(clusters.by_name.values()):
            if cluster.arn == arn:
                return {tag["Key"]: tag["Value"] for tag in cluster.tags}
    return {}

"""Tags of clusters, training plans and policies; moto has those of other resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.sagemaker import extensions, governance, plans
from clusterwright_localaws.services.sagemaker.state import clusters_of

# A resource has at most 50 tags, which fit in one page unless the caller requests fewer.
_PAGE_SIZE = 100


@operation("sagemaker", "AddTags")
def add_tags(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    for tag in call.parameters["Tags"]:
        tags[:] = [old for old in tags if old["Key"] != tag["Key"]]
        tags.append({"Key": tag["Key"], "Value": tag["Value"]})
    return {"Tags": tags}


@operation("sagemaker", "DeleteTags")
def delete_tags(call: Call) -> Mapping[str, Any]:
    tags = _tags(call)
    tags[:] = [tag for tag in tags if tag["Key"] not in call.parameters["TagKeys"]]
    return {}


@operation("sagemaker", "ListTags")
def list_tags(call: Call) -> Mapping[str, Any]:
    return paged(call, "Tags", _tags(call), default=_PAGE_SIZE)


def _tags(call: Call) -> list[dict[str, str]]:
    arn = str(call.parameters["ResourceArn"])
    if ":cluster/" in arn:
        for cluster in clusters_of(call).by_name.values():
            if cluster.arn == arn:
                return cluster.tags
        raise AwsError("ValidationException", f"Resource {arn} does not exist.")
    if ":training-plan/" in arn:
        return plans.find(call, arn).tags
    if ":cluster-scheduler-config/" in arn or ":compute-quota/" in arn:
        return governance.find_policy(call, arn).tags
    if ":extension/" in arn:
        return extensions.find_extension(call, arn).tags
    if "/" not in arn.split(":", 5)[-1]:  # moto, which has the others, fails on it
        raise AwsError("ValidationException", f"Resource {arn} does not exist.")
    raise ForwardToMoto

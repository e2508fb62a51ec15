"""Cluster policies and compute quotas of a template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.services.sagemaker.cfn_governance import (
    ClusterSchedulerConfig,
    ComputeQuota,
)
from clusterwright_localaws.services.sagemaker.governance import ADDON
from packages.localaws.tests.eks_parts import build_eks_site
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def cluster() -> Iterator[str]:
    """A HyperPod cluster on EKS with the add-on of task governance."""
    with local_aws():
        site = build_eks_site()
        site.create()
        client("eks").create_addon(clusterName="eks", addonName=ADDON)
        yield str(client("sagemaker").create_cluster(**site.hyperpod())["ClusterArn"])


def quota(cluster: str, count: int = 1, **more: Any) -> dict[str, Any]:
    resources = [{"InstanceType": "ml.m5.xlarge", "Count": count}]
    return {
        "Name": "quota",
        "ClusterArn": cluster,
        "ComputeQuotaConfig": {"ComputeQuotaResources": resources},
        "ComputeQuotaTarget": {"TeamName": "research"},
        **more,
    }


def test_a_quota_is_created_changed_and_deleted(cluster: str) -> None:
    sagemaker = client("sagemaker")
    before = quota(cluster, Tags=tags(a="1"))
    created = ComputeQuota().create(context(), before)
    arn, name = created.physical_id, created.attributes["ComputeQuotaId"]
    assert arn.endswith(f"/{name}")
    assert created.attributes["ComputeQuotaVersion"] == 1
    after = quota(cluster, 2, Description="two", Tags=tags(b="2"))
    changed = ComputeQuota().update(context(), arn, before, after)
    assert changed.attributes["ComputeQuotaVersion"] == 2
    found = sagemaker.describe_compute_quota(ComputeQuotaId=name)
    assert found["Description"] == "two"
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == tags(b="2")
    retagged = ComputeQuota().update(context(), arn, after, {**after, "Tags": []})
    assert retagged.attributes["ComputeQuotaVersion"] == 2
    ComputeQuota().delete(context(), arn, after)
    code, _ = refusal(sagemaker.describe_compute_quota, ComputeQuotaId=name)
    assert code == "ResourceNotFound"
    ComputeQuota().delete(context(), arn, after)  # deleted already: no error


def test_a_policy_is_created_and_changed(cluster: str) -> None:
    def config(weight: int) -> dict[str, Any]:
        return {"PriorityClasses": [{"Name": "training", "Weight": weight}]}

    before = {"Name": "policy", "ClusterArn": cluster, "SchedulerConfig": config(90)}
    created = ClusterSchedulerConfig().create(context(), before)
    after = {**before, "SchedulerConfig": config(50)}
    changed = ClusterSchedulerConfig().update(context(), created.physical_id, before, after)
    assert changed.attributes["ClusterSchedulerConfigVersion"] == 2
    found = client("sagemaker").describe_cluster_scheduler_config(
        ClusterSchedulerConfigId=created.attributes["ClusterSchedulerConfigId"]
    )
    assert found["SchedulerConfig"] == {**config(50), "FairShare": "Enabled"}


def test_a_failure_has_the_reason_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"Status": "CreateFailed", "FailureReason": "no add-on"}
    monkeypatch.setattr(ComputeQuota, "_call", lambda *_, **__: answers)
    with local_aws(), pytest.raises(HandlerFailure, match="no add-on"):
        ComputeQuota()._settled(context(), "arn:x/1")
    del answers["FailureReason"]
    with local_aws(), pytest.raises(HandlerFailure, match="arn:x/1 is CreateFailed"):
        ComputeQuota()._settled(context(), "arn:x/1")

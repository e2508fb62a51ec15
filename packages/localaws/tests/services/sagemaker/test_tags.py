"""Tests of services.sagemaker.tags."""

from __future__ import annotations

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import (
    Site,
    client,
)


def test_tags_of_a_cluster_are_managed(site: Site) -> None:
    cluster = site.create(site.group("workers", 1), Tags=[{"Key": "a", "Value": "1"}])
    sagemaker, arn = client("sagemaker"), cluster["ClusterArn"]
    sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "b", "Value": "2"}])
    sagemaker.delete_tags(ResourceArn=arn, TagKeys=["a"])
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "b", "Value": "2"}]


def test_tags_of_other_resources_are_those_of_moto(aws: Runtime) -> None:
    sagemaker = client("sagemaker")
    arn = sagemaker.create_experiment(ExperimentName="e")["ExperimentArn"]
    sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "a", "Value": "1"}])
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "a", "Value": "1"}]

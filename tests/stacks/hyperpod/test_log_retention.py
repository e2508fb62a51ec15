"""Tests of log retention."""

from __future__ import annotations

from tests.stacks.templates import only, text_of
from tests.support.rich_specs import MINIMAL, changed
from tests.support.synthesis import Build


def test_log_group_of_hyperpod_gets_the_retention(build: Build) -> None:
    retention = only(
        build(changed(MINIMAL, observability__log_retention_days=14)), "Custom::LogRetention"
    )
    assert str(retention["RetentionInDays"]) == "14"
    name = text_of(retention["LogGroupName"])
    assert "/aws/sagemaker/Clusters/test/" in name
    assert "ClusterArn" in name


def test_destroy_deletes_log_groups_after_the_cluster(build: Build) -> None:
    assembly = build(changed(MINIMAL, protection="destroy"))
    (name,) = assembly.resources("Custom::LogGroupCleanup")
    assert name.startswith("test-observability/")
    assert only(assembly, "Custom::LogGroupCleanup")["LogGroupNamePrefix"] == (
        "/aws/sagemaker/Clusters/test/"
    )
    assert not build(MINIMAL).resources("Custom::LogGroupCleanup")

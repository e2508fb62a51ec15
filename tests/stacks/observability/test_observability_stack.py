"""Tests of observability stack."""

from __future__ import annotations

from tests.stacks.templates import only, properties, text_of
from tests.support.rich_specs import FULL, MINIMAL
from tests.support.synthesis import Build


def test_every_log_group_has_a_retention(build: Build) -> None:
    groups = properties(build(FULL), "AWS::Logs::LogGroup")
    assert len(groups) >= 5
    for group in groups:
        assert group["RetentionInDays"] == 30


def test_prometheus_workspace_is_writable_for_nodes(build: Build) -> None:
    assert not build(MINIMAL).resources("AWS::APS::Workspace")
    assembly = build(FULL)
    assert only(assembly, "AWS::APS::Workspace")["Alias"] == "test"
    (statement,) = [
        statement
        for p in properties(assembly, "AWS::IAM::Policy")
        for statement in p["PolicyDocument"]["Statement"]
        if "aps:RemoteWrite" in text_of(statement)
    ]
    assert "test-observability:ExportsOutputFnGetAttPrometheusArn" in text_of(
        statement["Resource"]
    )

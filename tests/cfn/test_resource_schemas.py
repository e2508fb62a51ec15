"""The resource schemas of cfn-lint."""

from __future__ import annotations

import datetime as dt

from clusterwright.cfn.resource_schemas import Schemas, extension, schema_date, value_at


def test_schemas_have_a_date() -> None:
    assert dt.date.fromisoformat(schema_date()) >= dt.date(2026, 1, 1)


def test_unknown_type_has_no_schema() -> None:
    schemas = Schemas("us-east-1")
    assert schemas.of("Custom::Anything") is None
    cluster = schemas.of("AWS::SageMaker::Cluster")
    assert cluster is not None
    assert ("Orchestrator", "Eks") in cluster.create_only
    assert cluster.primary_identifier == {("ClusterArn",)}


def test_an_unknown_region_has_the_types_of_us_east_1() -> None:
    assert Schemas("xx-nowhere-1").of("AWS::EC2::VPC") is not None


def test_path_collects_values_of_lists() -> None:
    def is_whole(value: object) -> bool:
        return value == "?"

    groups = {"Groups": [{"Name": "a"}, {"Name": "b"}, "?"]}
    assert value_at(groups, ("Groups", "*", "Name"), is_whole) == ["a", "b", "?"]
    assert value_at(groups, ("Groups", "Name"), is_whole) is None
    assert value_at("?", ("Groups", "*"), is_whole) == "?"


def test_schemas_of_cfn_lint_itself() -> None:
    found = extension("aws_rds_dbinstance", "engine_version")
    assert {"mysql", "postgres"} <= set(found["allOf"][0]["then"]["properties"]["Engine"]["enum"])

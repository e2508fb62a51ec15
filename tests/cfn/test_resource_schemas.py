"""The resource schemas of cfn-lint."""

from __future__ import annotations

import datetime as dt

from clusterwright.cfn.resource_schemas import Schemas, schema_date, value_at


def test_the_schemas_are_dated() -> None:
    assert dt.date.fromisoformat(schema_date()) >= dt.date(2026, 1, 1)


def test_a_type_without_a_schema_has_none() -> None:
    schemas = Schemas("us-east-1")
    assert schemas.of("Custom::Anything") is None
    cluster = schemas.of("AWS::SageMaker::Cluster")
    assert cluster is not None
    assert ("Orchestrator", "Eks") in cluster.create_only
    assert cluster.primary_identifier == {("ClusterArn",)}


def test_an_unknown_region_has_the_types_of_us_east_1() -> None:
    assert Schemas("xx-nowhere-1").of("AWS::EC2::VPC") is not None


def test_a_path_collects_from_lists_and_stops_at_a_whole() -> None:
    def is_whole(value: object) -> bool:
        return value == "?"

    groups = {"Groups": [{"Name": "a"}, {"Name": "b"}, "?"]}
    assert value_at(groups, ("Groups", "*", "Name"), is_whole) == ["a", "b", "?"]
    assert value_at(groups, ("Groups", "Name"), is_whole) is None
    assert value_at("?", ("Groups", "*"), is_whole) == "?"

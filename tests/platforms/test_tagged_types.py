"""Taggable types match CloudFormation's schemas, by the names in tag policies."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms.deployment_permissions import RESOURCES
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.tagged_types import NAMES, NODES, covered, tagged_types
from tests.support import specs


@pytest.mark.parametrize("kind", sorted(RESOURCES))
def test_every_taggable_type_has_a_name(kind: str) -> None:
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
    tagging = schema.get("tagging", {})
    key = tagging.get("tagProperty", "/properties/Tags").rpartition("/")[2]
    taggable = tagging.get("taggable", schema.get("taggable", True))
    has_tags = taggable and key in schema["properties"]
    # Launch templates have tags in another format.
    assert (kind in NAMES) == (has_tags or "TagSpecifications" in schema["properties"])


def test_service_covers_its_types() -> None:
    made = frozenset({"ec2:vpc", "ec2:subnet", "fsx:file-system"})
    assert covered(("ec2:ALL_SUPPORTED",), made) == ("ec2:subnet", "ec2:vpc")
    assert covered(("ec2:*",), made) == ("ec2:subnet", "ec2:vpc")
    assert covered(("ec2:vpc", "ec2:instance"), made) == ("ec2:vpc",)
    assert covered(("fsx:volume",), made) == ()


def test_nodes_are_tagged_in_the_account(tmp_path: Path) -> None:
    hyperpod = load_cluster(specs.write(tmp_path / "one.yaml", specs.changed({}))).cluster
    assert not set(NODES) & tagged_types(hyperpod)
    assert {"sagemaker:cluster", "ec2:vpc", "iam:role"} <= tagged_types(hyperpod)

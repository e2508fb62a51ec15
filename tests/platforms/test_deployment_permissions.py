"""The checked permissions of CloudFormation's role match the templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms.deployment_permissions import RESOURCES
from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.rules.quotas.iam_and_stack_quotas import FEWEST_ROLES, FEWEST_STACKS
from tests.support import specs
from tests.support.leaf_cases import EXISTING
from tests.support.rich_specs import EKS, MINIMAL, SPECS, changed
from tests.support.synthesis import Build

ALL = {
    **SPECS,
    "eks, with protection destroy": changed(EKS, protection="destroy"),
    "eks, with capabilities": changed(EKS, kubernetes__capabilities={"ack": True}),
    "nat": changed(MINIMAL, network__egress="nat"),
    "existing": changed(
        EXISTING, identity={"kms_key_arn": f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1"}
    ),
}


@pytest.mark.parametrize("name", ALL)
def test_resource_types_are_known(name: str, tmp_path: Path, build: Build) -> None:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", ALL[name])).cluster
    made = {
        resource["Type"]
        for template in build(ALL[name]).templates.values()
        for resource in template["Resources"].values()
        if not resource["Type"].startswith("Custom::")
    }
    assert made == {kind for kind, one in RESOURCES.items() if one.used(cluster)}


@pytest.mark.parametrize("name", ALL)
def test_templates_have_the_fewest_roles_and_stacks(name: str, build: Build) -> None:
    templates = build(ALL[name]).templates
    assert len(templates) >= FEWEST_STACKS
    roles = [
        resource["Type"]
        for template in templates.values()
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::IAM::Role"
    ]
    assert len(roles) >= FEWEST_ROLES

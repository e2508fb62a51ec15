"""Failures of reviews: changes that other tools overstate or hide."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.field_failures import deployment
from tests.field_failures.changes import EKS
from tests.field_failures.parts import account, client, spec_file
from tests.review.templates import analysis, app
from tests.support import specs
from tests.support.command_line import clusterwright
from tests.support.synthesis import Assembly, Build

LONGEST_COMMENT = 65_536
"""Maximum number of characters of a GitHub comment (API error: "maximum is 65536")."""


def replaced(before: Assembly, after: Assembly) -> set[str]:
    """Resources that the review reports as replaced, as `<stack>/<logical id>`."""
    changes = analysis(app(**before.templates), app(**after.templates)).changes
    return {change.name for change in changes if change.effect == "replace"}


def identities(assembly: Assembly) -> dict[str, str]:
    """Physical ids of the deployed resources."""
    cloudformation = client("cloudformation")
    return {
        f"{stack}/{one['LogicalResourceId']}": one["PhysicalResourceId"]
        for stack in assembly.templates
        for one in cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
    }


@pytest.mark.slow
def test_cdk_28336_only_actual_replacements_are_reported(build: Build) -> None:
    """Tested by a deployment: ids change exactly where the review reports it."""
    steps: list[tuple[dict[str, Any], str | None]] = [
        # Among taggable resources, only the tags of a placement group cannot change.
        ({"tags": {"team": "pretraining"}}, "Placement"),
        ({"compute.1.instance_type": "p5.48xlarge", "kubernetes.node_volume_gib": 300}, None),
        # The capacity type of a group is fixed.
        ({"compute.1.capacity": {"kind": "spot"}}, "Nodes"),
    ]
    spec = EKS
    before = standing = build(spec)
    with account():
        assert all(one.ok for one in deployment.deploy(before).values())
        old = identities(before)
        for change, part in steps:
            spec = specs.changed(change, base=spec)
            after = build(spec)
            said = replaced(standing, after)
            assert any(part in name for name in said) if part else not said, (change, said)
            touched = [n for n in after.templates if after.templates[n] != standing.templates[n]]
            outcomes = deployment.deploy(after, *touched, assets=False)
            assert all(one.ok for one in outcomes.values()), outcomes
            new = identities(after)
            assert {name for name in old if name in new and old[name] != new[name]} == said
            old, standing = new, after
    # Equivalent values are not a change.
    again = copy.deepcopy(before.templates)
    for template in again.values():
        for resource in template.get("Resources", {}).values():
            resource["Metadata"] = {}
            resource.setdefault("Properties", {})["Nothing"] = {"Ref": "AWS::NoValue"}
    old_app, new_app = app(**before.templates), app(**again)
    assert [one for one in analysis(old_app, new_app).changes if one.effect != "none"] == []


def test_gost_2966_comment_fits_into_the_limit_of_github(tmp_path: Path) -> None:
    """Every group of a large cluster changes, with labels whose values are long."""
    groups = [
        {**EKS["compute"][1], "name": f"group-{number:03}", "count": 2} for number in range(60)
    ]
    eks = {"platform": "eks"}
    head = EKS["compute"][:1]
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    before = spec_file(tmp_path / "a", {**eks, "compute": [*head, *groups]})
    longer = [
        {**group, "count": 3, "labels": {f"acme.example/label-{n}": "x" * 63 for n in range(20)}}
        for group in groups
    ]
    after = spec_file(tmp_path / "b", {**eks, "compute": [*head, *longer]})
    words = ("diff", after, "--base", before, "--no-templates", "--offline")
    answer = clusterwright(*words, "--format", "markdown")
    assert answer.exit_code in (0, 1, 2), answer.err
    assert len(answer.out) <= LONGEST_COMMENT
    assert len(clusterwright(*words).out) > LONGEST_COMMENT, "the whole is longer"
    assert "more" in answer.out, "what is left out is said"

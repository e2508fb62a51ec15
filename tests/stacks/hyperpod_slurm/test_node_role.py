"""Tests of node role."""

from __future__ import annotations

from tests.stacks.identity.node_statements import WITHOUT_RESOURCE, node_statements
from tests.stacks.templates import listed
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Build


def test_wildcard_resource_is_only_for_actions_without_resource_types(build: Build) -> None:
    for statement in node_statements(build(FULL)):
        if statement["Resource"] == "*":
            assert set(listed(statement["Action"])) <= WITHOUT_RESOURCE


def test_node_actions_have_no_wildcards(build: Build) -> None:
    for statement in node_statements(build(FULL)):
        assert not [a for a in listed(statement["Action"]) if "*" in a]
        assert statement["Effect"] == "Allow"


def test_permissions_depend_on_the_spec(build: Build) -> None:
    actions = {a for s in node_statements(build(MINIMAL)) for a in listed(s["Action"])}
    assert not [a for a in actions if a.split(":")[0] in ("ecr", "fsx", "secretsmanager", "aps")]
    without = changed(MINIMAL, identity={"session_manager": False})
    actions = {a for s in node_statements(build(without)) for a in listed(s["Action"])}
    assert not [a for a in actions if a.startswith("ssm")]

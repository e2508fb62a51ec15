"""The permissions of drift detection are those of CloudFormation's resource schemas."""

from __future__ import annotations

from clusterwright.cfn.resource_schemas import Schemas
from clusterwright.cluster_state.drift_permissions import NOT_GRANTED, READ_ACTIONS
from clusterwright.platforms.deployment_permissions import RESOURCES


def test_they_are_those_of_the_schemas() -> None:
    schemas = Schemas("us-east-1")
    found = {}
    for kind in RESOURCES:
        handlers = (schemas.body(kind) or {}).get("handlers") or {}
        permissions = set((handlers.get("read") or {}).get("permissions") or ())
        if permissions - NOT_GRANTED:
            found[kind] = tuple(sorted(permissions - NOT_GRANTED))
    assert found == READ_ACTIONS

"""Tests of CW-E003."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.derived_names import log_groups
from clusterwright.preflight.facts.deployment import (
    LogGroups,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import HERE, stacks
from tests.preflight.rules.support.platforms import EKS, HYPERPOD, PARALLELCLUSTER
from tests.support import specs


@pytest.mark.parametrize("spec", [EKS, HYPERPOD, PARALLELCLUSTER], ids=lambda s: s["platform"])
def test_log_groups_of_every_platform_are_checked(rule: Harness, spec: dict[str, Any]) -> None:
    names = [name for name, _ in log_groups(specs.load(rule.folder, spec).cluster)]
    name = names[0]
    everywhere: dict[Any, Any] = {LogGroups(other): () for other in names}
    everywhere |= {LogGroups("/clusterwright/test/"): (name,), LogGroups(name): (name,)}
    rule.fails(
        "CW-E003", spec, {**everywhere, **stacks()}, path="environment", message=f"{name} already"
    )


def test_existing_log_groups_are_reported(rule: Harness) -> None:
    def there(*names: str) -> dict[Any, Any]:
        return {LogGroups("/clusterwright/test/"): names}

    name = "/clusterwright/test/flow-logs"
    finding = rule.fails(
        "CW-E003", {}, {**there(name), **stacks()}, path=HERE, message=f"a log group named {name} "
    )
    assert finding.hint is not None
    assert "delete-log-group" in finding.hint
    own = stacks(("AWS::Logs::LogGroup", name))
    rule.passes("CW-E003", {}, {**there(name), **own})
    # Groups of the same prefix that no stack creates are ignored.
    rule.passes("CW-E003", {}, {**there(f"{name}-old"), **stacks()})


def test_log_group_of_fsx_is_checked_separately(rule: Harness) -> None:
    link = {"s3": "s3://acme-corpus", "path": "/data", "import": ["NEW"]}
    changes = {"storage.lustre": [{**specs.LUSTRE, "repositories": [link]}]}
    # A group of the environment `test-2` begins with the same letters.
    facts = {
        LogGroups("/clusterwright/test/"): (),
        LogGroups("/aws/fsx/test"): ("/aws/fsx/test-2",),
    }
    rule.passes("CW-E003", changes, {**facts, **stacks()})
    facts[LogGroups("/aws/fsx/test")] = ("/aws/fsx/test",)
    message = "a log group named /aws/fsx/test already exists"
    rule.fails("CW-E003", changes, {**facts, **stacks()}, path=HERE, message=message)


def test_every_log_group_is_checked(rule: Harness) -> None:
    cluster = specs.load(rule.folder).cluster
    names = [name for name, _ in log_groups(cluster)]
    assert all(name.startswith("/clusterwright/test/") for name in names)
    facts = {LogGroups("/clusterwright/test/"): tuple(names), **stacks()}
    found = rule.run("CW-E003", {}, facts)
    assert len(found.findings) == len(names)

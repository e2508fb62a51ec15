"""Failures of changes, which the review reports before CloudFormation refuses them."""

from __future__ import annotations

import re

import pytest

from tests.field_failures import deployment
from tests.field_failures.changes import EKS, LUSTRE, obstacles_of
from tests.field_failures.parts import account
from tests.support import specs
from tests.support.synthesis import Assembly, Build


def follow(hint: str, after: Assembly) -> dict[str, deployment.Outcome]:
    """Run the steps of a hint as a user would copy them."""
    outcomes: dict[str, deployment.Outcome] = {}
    steps = re.findall(r"`([^`]+)`", hint)
    assert steps[-1] == "cdk deploy --all"
    for step in steps:
        words = step.split()
        if words[:2] == ["cdk", "deploy"]:
            chosen = [word for word in words[2:] if not word.startswith("--")]
            outcomes |= deployment.deploy(after, *chosen)
        else:
            assert words[:3] == ["aws", "cloudformation", "delete-stack"]
            outcomes[words[-1]] = deployment.delete(words[-1])
    return outcomes


@pytest.mark.slow
def test_cdk_7602_exports_in_use_are_reported_with_deployable_steps(build: Build) -> None:
    """The file system is removed while exports of network and storage are still imported."""
    before, after = build(EKS), build(specs.changed({"storage.lustre": None}, base=EKS))
    (found,) = [one for one in obstacles_of(before, after) if one.kind == "export-in-use"]
    assert "CloudFormation refuses that: the change needs two deployments" in found.message
    # A change without removals reports nothing.
    more = build(specs.changed({"compute.1.count": 3}, base=EKS))
    assert obstacles_of(before, more) == []
    with account():
        assert all(one.ok for one in deployment.deploy(before).values())
        # `cdk deploy --all` alone is refused, as the review states.
        refused = deployment.deploy(after)
        assert not refused[found.where].ok
        # The exact steps of the hint.
        outcomes = follow(found.hint, after)
        assert all(one.ok for one in outcomes.values()), outcomes
        assert outcomes.keys() >= {*after.templates, "test-storage"}


def test_geostore_630_changed_export_value_is_reported(build: Build) -> None:
    """The file system is replaced while its exported names are still imported."""
    other = {**LUSTRE, "deployment_type": "PERSISTENT_2", "throughput_mbps_per_tib": 125}
    before, after = build(EKS), build(specs.changed({"storage.lustre": [other]}, base=EKS))
    (found,) = [one for one in obstacles_of(before, after) if one.kind == "export-in-use"]
    assert found.where == "test-storage"
    assert "its value follows LustrefsxFileSystem" in found.message
    assert "first deploy a version that does not use it" in found.hint
    # A second file system in addition is not blocked: the intermediate version.
    beside = build(
        specs.changed({"storage.lustre": [LUSTRE, {**other, "mount_path": "/new"}]}, base=EKS)
    )
    assert obstacles_of(before, beside) == []

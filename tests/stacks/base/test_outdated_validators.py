"""Types that are missing from the lists of validators."""

from __future__ import annotations

from typing import Any

from stacks.base.outdated_validators import MISSING_IN_CDK_VALIDATION, MISSING_IN_CFN_LINT
from stacks.base.spec_metadata import KEY
from tests.support.rich_specs import (
    FULL,
)
from tests.support.synthesis import Assembly, Build


def test_types_missing_in_cfn_lint_are_missing_in_the_cdk() -> None:
    assert MISSING_IN_CFN_LINT <= MISSING_IN_CDK_VALIDATION


def metadata(assembly: Assembly) -> dict[str, Any]:
    (cluster,) = assembly.resources("AWS::SageMaker::Cluster").values()
    found: dict[str, Any] = cluster.get("Metadata", {})
    return {name: value for name, value in found.items() if name != KEY}


def test_dated_types_are_accepted_only_where_used(build: Build, synth: Any) -> None:
    assert metadata(build(FULL)) == {}
    accepted = metadata(synth("configs/examples/p6e-gb200-1.yaml"))
    assert accepted["cfn-lint"] == {"config": {"ignore_checks": ["E3644"]}}
    assert "ml.p6e-gb200.36xlarge" in accepted["clusterwright"]["accepted"]["E3644"]

"""The synthesised templates of one version of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright.review.expressions import Scope


@dataclass(frozen=True)
class StackTemplate:
    """One stack: its template, parameter values, and the stacks it depends on."""

    name: str
    template: Mapping[str, Any]
    parameters: Mapping[str, str] = field(default_factory=dict)
    after: frozenset[str] = frozenset()
    protected: bool = False
    """Whether termination protection is enabled."""


@dataclass(frozen=True)
class Assembly:
    """Every stack of one version, with pseudo parameters such as `AWS::Region`."""

    stacks: Mapping[str, StackTemplate]
    pseudo_parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def region(self) -> str:
        return self.pseudo_parameters.get("AWS::Region", "us-east-1")

    def scope(self, stack: str) -> Scope:
        """Return the scope of a stack's template."""
        found = self.stacks[stack]
        return Scope(stack, found.template, self.pseudo_parameters, found.parameters)


EMPTY = Assembly({})


def pseudo_parameters(account: str, region: str, partition: str) -> dict[str, str]:
    """Return the pseudo parameters of an account and region."""
    return {
        "AWS::AccountId": account,
        "AWS::Region": region,
        "AWS::Partition": partition,
        "AWS::URLSuffix": "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com",
    }

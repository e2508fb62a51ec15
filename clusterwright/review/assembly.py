"""The templates of one version of a cluster, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright.review.expressions import Scope


@dataclass(frozen=True)
class StackTemplate:
    """One stack: its template, the values of its parameters, the stacks that come before it."""

    name: str
    template: Mapping[str, Any]
    parameters: Mapping[str, str] = field(default_factory=dict)
    after: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Assembly:
    """Every stack of one version; `known` holds pseudo parameters such as `AWS::Region`."""

    stacks: Mapping[str, StackTemplate]
    known: Mapping[str, str] = field(default_factory=dict)

    @property
    def region(self) -> str:
        return self.known.get("AWS::Region", "us-east-1")

    def scope(self, stack: str) -> Scope:
        """The scope in which a stack's template is read."""
        found = self.stacks[stack]
        return Scope(stack, found.template, self.known, found.parameters)


EMPTY = Assembly({})


def place(account: str, region: str, partition: str) -> dict[str, str]:
    """Pseudo parameters of one account and region."""
    return {
        "AWS::AccountId": account,
        "AWS::Region": region,
        "AWS::Partition": partition,
        "AWS::URLSuffix": "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com",
    }

"""Instances of EC2 that hold quota."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws.ec2 import instances
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class Instances(Fact[tuple[instances.Instance, ...]]):
    """Every instance of the account in the region that is pending or running."""

    actions: ClassVar = ("ec2:DescribeInstances",)
    inventory: ClassVar = True

    def read(self) -> Reading[tuple[instances.Instance, ...]]:
        (found,) = yield [ask(instances.running)]
        result: tuple[instances.Instance, ...] = answered(found)
        return result

"""EC2 instances that count against quotas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws.ec2 import instances
from clusterwright.preflight.facts.fact import Fact


@dataclass(frozen=True)
class Instances(Fact[tuple[instances.Instance, ...]]):
    """Every instance of the account in the region that is pending or running."""

    actions: ClassVar = ("ec2:DescribeInstances",)
    inventory: ClassVar = True
    function: ClassVar = instances.running

"""Policies of the account's organization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import organizations
from clusterwright.preflight.facts.fact import Fact


@dataclass(frozen=True)
class EffectiveTagPolicy(Fact[organizations.TagPolicy | None]):
    """The effective tag policy of the account; None if there is none."""

    actions: ClassVar = ("organizations:DescribeEffectivePolicy",)
    # The ARN of a member has the management account's number and the organisation's id,
    # which is not known before the request.
    resource: ClassVar = "arn:{partition}:organizations::*:account/o-*/{account}"
    function: ClassVar = organizations.effective_tag_policy

"""Policies of the account's organization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import organizations
from clusterwright.preflight.facts.fact import Fact, Place, Reading, answered, ask


@dataclass(frozen=True)
class EffectiveTagPolicy(Fact[organizations.TagPolicy | None]):
    """The tag policy that holds for the account; None where there is none."""

    actions: ClassVar = ("organizations:DescribeEffectivePolicy",)

    def resources(self, place: Place) -> Mapping[str, str]:
        # The ARN of a member has the management account's number and the organisation's id,
        # which is not known before the request.
        arn = f"arn:{place.partition}:organizations::*:account/o-*/{place.account}"
        return dict.fromkeys(self.actions, arn)

    def read(self) -> Reading[organizations.TagPolicy | None]:
        (found,) = yield [ask(organizations.effective_tag_policy)]
        result: organizations.TagPolicy | None = answered(found)
        return result

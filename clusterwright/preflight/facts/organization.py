"""What the account's organisation asks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import organizations
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class EffectiveTagPolicy(Fact[organizations.TagPolicy | None]):
    """The tag policy that holds for the account; None where there is none."""

    actions: ClassVar = ("organizations:DescribeEffectivePolicy",)

    def read(self) -> Reading[organizations.TagPolicy | None]:
        (found,) = yield [ask(organizations.effective_tag_policy)]
        result: organizations.TagPolicy | None = answered(found)
        return result

"""moto's filter policies lack operators, nested `$or`, names with dots and arrays in arrays.

https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html; the local AWS
examines policies before it forwards a request, so that moto's own check, which refuses valid ones,
is left out. A new scope applies to the policy that a subscription has; in moto it does not.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.sns.filter_policies import IN_ATTRIBUTES, accepts

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SNS: filter policies are matched with all operators, and by their current scope"


def apply() -> None:
    from moto.sns.models import SNSBackend, Subscription
    from moto.sns.utils import FilterPolicyMatcher

    matches_in_moto = FilterPolicyMatcher.matches
    validate_in_moto = SNSBackend._validate_filter_policy
    set_in_moto = SNSBackend.set_subscription_attributes

    def matches(self: Any, message_attributes: Any, message: str) -> bool:
        if not runtime().active:
            return matches_in_moto(self, message_attributes, message)
        return accepts(self.filter_policy, self.filter_policy_scope, message, message_attributes)

    def _validate_filter_policy(self: Any, value: Any, scope: str | None) -> None:
        if not runtime().active:
            validate_in_moto(self, value, scope)

    def set_subscription_attributes(self: Any, arn: str, name: str, value: Any) -> None:
        set_in_moto(self, arn, name, value)
        if runtime().active and name == "FilterPolicyScope":
            subscription: Subscription = self.subscriptions[arn]
            if subscription._filter_policy_matcher is not None:
                subscription._filter_policy_matcher.filter_policy_scope = value or IN_ATTRIBUTES

    FilterPolicyMatcher.matches = matches  # type: ignore[method-assign]
    SNSBackend._validate_filter_policy = _validate_filter_policy  # type: ignore[method-assign]
    SNSBackend.set_subscription_attributes = (  # type: ignore[method-assign]
        set_subscription_attributes
    )

"""moto refuses filter policies that SNS takes, such as those with `cidr` or a nested `$or`.

https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html; the local AWS
examines policies before moto gets them.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SNS: filter policies are examined by the local AWS alone"


def apply() -> None:
    from moto.sns.models import SNSBackend

    in_moto = SNSBackend._validate_filter_policy

    def _validate_filter_policy(self: Any, value: Any, scope: str | None) -> None:
        if not runtime().active:
            in_moto(self, value, scope)

    SNSBackend._validate_filter_policy = _validate_filter_policy  # type: ignore[method-assign]

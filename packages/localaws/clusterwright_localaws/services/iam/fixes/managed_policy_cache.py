"""moto parses all of AWS's managed policies again for every account and reset."""

from __future__ import annotations

import copy
import functools
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "IAM: AWS's managed policies are parsed once per process (0.6 s per account)"


def apply() -> None:
    from moto.iam.models import IAMBackend

    build = IAMBackend._init_aws_policies

    @functools.cache
    def prototypes(partition_region: str) -> list[Any]:
        class Anybody:
            account_id = "aws"
            region_name = partition_region

        return build(Anybody())  # type: ignore[arg-type]

    def _init_aws_policies(self: Any) -> list[Any]:
        if not runtime().active:
            return build(self)
        return [_of_account(policy, self.account_id) for policy in prototypes(self.region_name)]

    IAMBackend._init_aws_policies = _init_aws_policies  # type: ignore[method-assign]


def _of_account(prototype: Any, account: str) -> Any:
    policy = copy.copy(prototype)
    policy.account_id = account
    policy.attachment_count = 0
    policy.tags = {}
    policy.versions = [copy.copy(version) for version in prototype.versions]
    return policy

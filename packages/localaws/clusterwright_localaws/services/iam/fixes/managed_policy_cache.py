"""moto parses all of AWS's managed policies again for every account and reset."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: AWS's managed policies are parsed once per process, and copied into an account when "
    "its policies are first requested (0.6 s per account)"
)


def apply() -> None:
    from moto.iam.models import IAMBackend

    build = IAMBackend._init_aws_policies

    @functools.cache
    def prototypes(partition_region: str) -> list[Any]:
        class Anybody:
            account_id = "aws"
            region_name = partition_region

        return build(Anybody())  # type: ignore[arg-type]

    def of_aws(backend: Any) -> list[Any]:
        if not runtime().active:
            return build(backend)
        account = backend.account_id
        return [_of_account(policy, account) for policy in prototypes(backend.region_name)]

    def by_arn(backend: Any) -> dict[str, Any]:
        return {policy.arn: policy for policy in backend.aws_managed_policies}

    def later(_: Any) -> None:
        """`__init__` sets the attribute to this; its first reader makes the policies."""

    IAMBackend._init_aws_policies = later  # type: ignore[method-assign,assignment]
    IAMBackend._init_managed_policies = later  # type: ignore[method-assign,assignment]
    attributes: Any = IAMBackend
    attributes.aws_managed_policies = _MadeWhenRead("aws_managed_policies", of_aws)
    attributes.managed_policies = _MadeWhenRead("managed_policies", by_arn)


class _MadeWhenRead:
    def __init__(self, name: str, make: Callable[[Any], Any]) -> None:
        self._name = name
        self._make = make

    def __get__(self, backend: Any, _: type | None = None) -> Any:
        values = vars(backend)
        if self._name not in values:
            # Of two threads that make it, one keeps its value and both return that.
            return values.setdefault(self._name, self._make(backend))
        return values[self._name]

    def __set__(self, backend: Any, value: Any) -> None:
        if value is not None:
            vars(backend)[self._name] = value


def _of_account(prototype: Any, account: str) -> Any:
    policy = _copied(prototype)
    policy.account_id = account
    policy.attachment_count = 0
    policy.tags = {}
    policy.versions = [_copied(version) for version in prototype.versions]
    return policy


def _copied(prototype: Any) -> Any:
    """A shallow copy that moto's lists of instances do not hold: there are 3,000 an account."""
    made = object.__new__(type(prototype))
    vars(made).update(vars(prototype))
    return made

"""moto does not load AWS's managed policies by default."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "IAM: AWS's managed policies exist, so that they can be attached to roles"


def apply() -> None:
    from moto.iam import models

    asked_for = models.load_iam_aws_managed_policies

    def load_iam_aws_managed_policies() -> bool:
        return runtime().active or bool(asked_for())

    models.load_iam_aws_managed_policies = load_iam_aws_managed_policies
    # Every call of every service creates the account's IAM backend, perhaps before this.
    for account in list(models.iam_backends.values()):
        for backend in list(account.values()):
            _load(backend)


def _load(backend: Any) -> None:
    if not backend.aws_managed_policies:
        backend.aws_managed_policies = backend._init_aws_policies()
        for policy in backend.aws_managed_policies:
            backend.managed_policies.setdefault(policy.arn, policy)

"""moto creates any number of keys; KMS has a quota for them.

Code: https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.runtime import Runtime, runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "KMS: CreateKey refuses requests beyond the world's quota of keys"
_KEYS = ("kms", "L-C2F1777E")


def apply() -> None:
    from moto.kms.models import KmsBackend

    create_in_moto = KmsBackend.create_key

    def create_key(self: Any, *arguments: Any, **named: Any) -> Any:
        from moto.core.exceptions import JsonRESTError

        if runtime().active:
            found = quotas.quota(runtime(), self.region_name, *_KEYS)
            used = quotas.in_use(runtime(), self.account_id, self.region_name, *_KEYS)
            if found is not None and found.value is not None and used + 1 > found.value:
                raise JsonRESTError(
                    "LimitExceededException",
                    f"You have reached the quota of {found.value:g} KMS keys.",
                )
        return create_in_moto(self, *arguments, **named)

    KmsBackend.create_key = create_key  # type: ignore[method-assign]


@quotas.counts_usage(*_KEYS)
def _keys(current: Runtime, account: str, region: str) -> float:
    from moto.kms.models import kms_backends

    return float(len(kms_backends[account][region].keys))

"""moto creates any number of keys; KMS has a quota for them.

Code: https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html
"""

from __future__ import annotations

from clusterwright_localaws.core.moto_quotas import count, limit

MOTO_VERSION = "5.2.5"
DESCRIPTION = "KMS: CreateKey refuses requests beyond the world's quota of keys"
_KEYS = ("kms", "L-C2F1777E")


def apply() -> None:
    from moto.core.exceptions import JsonRESTError
    from moto.kms.models import KmsBackend

    limit(
        KmsBackend,
        "create_key",
        _KEYS,
        lambda quota: JsonRESTError(
            "LimitExceededException", f"You have reached the quota of {quota.value:g} KMS keys."
        ),
    )


count(_KEYS, "kms", lambda kms: len(kms.keys))

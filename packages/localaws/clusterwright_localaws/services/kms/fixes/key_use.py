"""moto leaves defaults out of the descriptions of keys.

https://docs.aws.amazon.com/kms/latest/APIReference/API_KeyMetadata.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.services.kms import keys

MOTO_VERSION = "5.2.5"
DESCRIPTION = "KMS: a new key's use and MultiRegion have their defaults"


def apply() -> None:
    from moto.kms.models import Key

    describe = Key.to_dict

    def to_dict(self: Any) -> Any:
        found = describe(self)
        found["KeyMetadata"]["KeyUsage"] = keys.usage_of(self)
        found["KeyMetadata"]["MultiRegion"] = bool(found["KeyMetadata"]["MultiRegion"])
        return found

    Key.to_dict = to_dict  # type: ignore[method-assign]

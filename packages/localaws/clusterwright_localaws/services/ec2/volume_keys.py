"""The account's key for encrypted volumes that name none.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetEbsDefaultKmsKeyId.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.ec2.common import refuse_dry_run
from clusterwright_localaws.services.ec2.reserved import ec2_backend

MANAGED = "alias/aws/ebs"
"""The answer for an account that has chosen none: the alias of the key that AWS manages."""


@operation("ec2", "GetEbsDefaultKmsKeyId")
def get_ebs_default_kms_key_id(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    chosen = ec2_backend(call.account, call.region).default_kms_key_id
    # moto keeps the key that AWS manages as the chosen one once a volume is encrypted with it.
    return {"KmsKeyId": MANAGED if not chosen or _is_managed(call, chosen) else chosen}


def _is_managed(call: Call, key: str) -> bool:
    from moto.kms.models import kms_backends

    backend = kms_backends[call.account][call.region]
    return bool(backend.alias_exists(MANAGED)) and backend.describe_key(MANAGED).arn == key


@operation("ec2", "ResetEbsDefaultKmsKeyId")
def reset_ebs_default_kms_key_id(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    ec2_backend(call.account, call.region).default_kms_key_id = ""
    return {"KmsKeyId": MANAGED}

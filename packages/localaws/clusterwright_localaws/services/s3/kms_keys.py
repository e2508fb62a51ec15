"""Keys of KMS that objects are encrypted with: they exist, and are enabled.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
Refusals recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.zones import partition_of
from clusterwright_localaws.services.kms.keys import check_state, problem_of
from clusterwright_localaws.services.s3.fixes.kms_key_arns import OF_KMS


def check_key_of_write(bucket: Any, request: Mapping[str, Any]) -> None:
    """Check the key of a write, which is that of the bucket by default; raises as `check_key`."""
    algorithm, named = request.get("ServerSideEncryption"), request.get("SSEKMSKeyId")
    if algorithm is None and bucket.encryption:
        default = bucket.encryption["Rule"]["ApplyServerSideEncryptionByDefault"]
        algorithm, named = default["SSEAlgorithm"], default.get("KMSMasterKeyID")
    if algorithm in OF_KMS and named:
        check_key(bucket, named)


def check_key_of_object(bucket: Any, found: Any) -> None:
    """Refuse to read an object whose key is gone or not enabled; raises as `check_key`."""
    named = getattr(found, "kms_key_id", None)
    if named and getattr(found, "encryption", None) in OF_KMS:
        check_key(bucket, named)


def check_key(bucket: Any, named: str) -> None:
    """Refuse a key that does not exist or is not enabled; those of other accounts are not judged.

    Parameters
    ----------
    bucket:
        moto's bucket, in whose Region the key must be.
    named:
        Its id, ARN or alias.

    Raises
    ------
    AwsError
        KMS.NotFoundException, KMS.DisabledException, KMS.KMSInvalidStateException
    """
    account, region = bucket.account_id, bucket.region_name
    parts = named.split(":")
    if len(parts) > 4 and parts[4] != account:
        return
    kms = moto_state.backend("kms", account, region)
    prefix = f"arn:{partition_of(region)}:kms:{region}:{account}"
    problem = problem_of(kms, named, prefix)
    if problem:
        if "alias/aws/" in named:
            return  # It is created with its first use.
        raise AwsError("KMS.NotFoundException", problem, 400)
    try:
        check_state(kms.keys[kms.any_id_to_key_id(named)])
    except AwsError as refusal:
        raise AwsError(f"KMS.{refusal.code}", refusal.message, refusal.status) from None

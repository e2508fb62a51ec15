"""What an account has of things that quotas count and nothing else is asked about."""

from __future__ import annotations

from collections.abc import Mapping

from clusterwright.aws.session import AwsSession


def kms_key_ids(session: AwsSession) -> tuple[str, ...]:
    """Ids of every KMS key of the account in the region, those that AWS manages included."""
    return tuple(key["KeyId"] for key in session.items("kms", "ListKeys", "Keys"))


def kms_aliases(session: AwsSession) -> Mapping[str, str]:
    """Key ids by alias (`alias/…`)."""
    return {
        alias["AliasName"]: alias.get("TargetKeyId") or ""
        for alias in session.items("kms", "ListAliases", "Aliases")
    }


def bucket_names(session: AwsSession) -> tuple[str, ...]:
    """Every general purpose bucket of the account, whatever its region."""
    return tuple(bucket["Name"] for bucket in session.items("s3", "ListBuckets", "Buckets"))

"""Resources of an account that are read only for quotas."""

from __future__ import annotations

from collections.abc import Mapping

from clusterwright.aws.session import AwsSession


def kms_key_ids(session: AwsSession) -> tuple[str, ...]:
    """Return the ids of every KMS key of the account in the region, including AWS managed keys."""
    return tuple(key["KeyId"] for key in session.items("kms", "ListKeys", "Keys"))


def kms_aliases(session: AwsSession) -> Mapping[str, str]:
    """Return the key ids by alias (`alias/…`)."""
    return {
        alias["AliasName"]: alias.get("TargetKeyId") or ""
        for alias in session.items("kms", "ListAliases", "Aliases")
    }


def bucket_names(session: AwsSession) -> tuple[str, ...]:
    """Return every general purpose bucket of the account, in all regions."""
    return tuple(bucket["Name"] for bucket in session.items("s3", "ListBuckets", "Buckets"))

"""The policies of resources: buckets, keys, roles, secrets, topics, queues, repositories.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_aws-services-that-work-with-iam.html
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.core import credentials, moto_state
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.policy import MalformedPolicy, Policy, read_policy
from clusterwright_localaws.services.s3.world_buckets import find_bucket


@dataclass(frozen=True)
class Resource:
    """The owner, the policy and the tags of a resource."""

    account: str = ""
    policy: Policy | None = None
    must_allow: bool = False


def resource_of(arn: str, action: str) -> Resource:
    """Return the owner and the policy of the resource with an ARN, if it is in the state."""
    parts = arn.split(":", 5)
    if len(parts) != 6:
        return Resource()
    # Resources of AWS (`arn:aws:iam::aws:policy/...`) are treated like those of the caller.
    named = Resource(account=parts[4] if credentials.is_account(parts[4]) else "")
    reader = _READERS.get(parts[2])
    if reader is None:
        return named
    return reader(arn, parts, action) or named


_Reader = Callable[[str, list[str], str], Resource | None]


def _bucket(arn: str, parts: list[str], action: str) -> Resource | None:
    del arn, action
    bucket = find_bucket(parts[5].split("/", 1)[0])
    if bucket is None:
        return None
    return Resource(bucket.account_id, _read(bucket.policy, "bucket policy"))


def _key(arn: str, parts: list[str], action: str) -> Resource | None:
    del action
    kind, _, name = parts[5].partition("/")
    found = moto_state.existing("kms", parts[4], parts[3]) if kind == "key" else None
    key = None if found is None else found.keys.get(name)
    if key is None:
        return None
    return Resource(parts[4], _read(key.policy, arn), must_allow=True)


def _role(arn: str, parts: list[str], action: str) -> Resource | None:
    if not action.lower().startswith("sts:"):
        return None
    role = entities.role_of(arn)
    if role is None:
        # A missing role in another account: the caller is not trusted.
        return Resource(parts[4], None, must_allow=True)
    return Resource(parts[4], _read(role.assume_role_policy_document, arn), must_allow=True)


def _policies_of(service: str, kept: str, arn_member: str = "arn") -> _Reader:
    """Return the reader of resources that moto keeps in `kept`, each with its policy."""

    def read(arn: str, parts: list[str], action: str) -> Resource | None:
        found = moto_state.existing(service, parts[4], parts[3])
        for item in () if found is None else list(getattr(found, kept).values()):
            if getattr(item, arn_member) == arn:
                return Resource(parts[4], _read(getattr(item, "policy", None), arn))
        return None

    return read


def _read(text: Any, name: str) -> Policy | None:
    """A policy as moto keeps it: text, bytes or nothing.

    moto accepts invalid policies that AWS refuses; they are refused here.
    """
    if not text:
        return None
    if isinstance(text, bytes):
        text = text.decode()
    if not isinstance(text, str):
        text = json.dumps(text)
    try:
        return read_policy(text, name=name, kind="resource")
    except MalformedPolicy as error:
        raise AwsError("MalformedPolicy", f"The policy of {name}: {error}", 400) from error


_READERS: dict[str, _Reader] = {
    "s3": _bucket,
    "kms": _key,
    "iam": _role,
    "secretsmanager": _policies_of("secretsmanager", "secrets"),
    "sns": _policies_of("sns", "topics"),
    "sqs": _policies_of("sqs", "queues", "queue_arn"),
    "ecr": _policies_of("ecr", "repositories"),
}

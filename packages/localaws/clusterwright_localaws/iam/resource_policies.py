"""The policies of resources: buckets, keys, roles, secrets, topics, queues, repositories.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_aws-services-that-work-with-iam.html
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.core import credentials
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
    # What is AWS's own (`arn:aws:iam::aws:policy/...`) is as if it were the caller's.
    named = Resource(account=parts[4] if credentials.is_account(parts[4]) else "")
    reader = _READERS.get(parts[2])
    if reader is None:
        return named
    return reader(arn, parts, action) or named


def _bucket(arn: str, parts: list[str], action: str) -> Resource | None:
    del arn, action
    bucket = find_bucket(parts[5].split("/", 1)[0])
    if bucket is None:
        return None
    return Resource(bucket.account_id, _read(bucket.policy, "bucket policy"))


def _key(arn: str, parts: list[str], action: str) -> Resource | None:
    del action
    from moto.kms.models import kms_backends

    kind, _, name = parts[5].partition("/")
    if kind != "key" or parts[4] not in kms_backends:
        return None
    key = kms_backends[parts[4]][parts[3]].keys.get(name)
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


def _secret(arn: str, parts: list[str], action: str) -> Resource | None:
    del action
    from moto.secretsmanager.models import secretsmanager_backends

    if parts[4] not in secretsmanager_backends:
        return None
    for secret in list(secretsmanager_backends[parts[4]][parts[3]].secrets.values()):
        if secret.arn == arn:
            return Resource(parts[4], _read(getattr(secret, "policy", None), arn))
    return None


def _topic(arn: str, parts: list[str], action: str) -> Resource | None:
    del action
    from moto.sns.models import sns_backends

    if parts[4] not in sns_backends:
        return None
    topic = sns_backends[parts[4]][parts[3]].topics.get(arn)
    return None if topic is None else Resource(parts[4], _read(topic.policy, arn))


def _queue(arn: str, parts: list[str], action: str) -> Resource | None:
    del action
    from moto.sqs.models import sqs_backends

    if parts[4] not in sqs_backends:
        return None
    for queue in list(sqs_backends[parts[4]][parts[3]].queues.values()):
        if queue.queue_arn == arn:
            return Resource(parts[4], _read(queue.policy, arn))
    return None


def _repository(arn: str, parts: list[str], action: str) -> Resource | None:
    del action
    from moto.ecr.models import ecr_backends

    if parts[4] not in ecr_backends:
        return None
    for repository in list(ecr_backends[parts[4]][parts[3]].repositories.values()):
        if repository.arn == arn:
            return Resource(parts[4], _read(repository.policy, arn))
    return None


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


_READERS: dict[str, Callable[[str, list[str], str], Resource | None]] = {
    "s3": _bucket,
    "kms": _key,
    "iam": _role,
    "secretsmanager": _secret,
    "sns": _topic,
    "sqs": _queue,
    "ecr": _repository,
}

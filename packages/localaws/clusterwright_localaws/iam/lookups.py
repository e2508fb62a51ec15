"""ARNs that are in the state, not in the request: roles with paths, clusters, keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.actions import ResourceType
from clusterwright_localaws.iam.resources import Place

_Lookup = Callable[[Runtime, Mapping[str, Any], Place], "list[str] | None"]


class Lookups:
    """The input of `resources_of` for one call."""

    def __init__(self, runtime: Runtime, operation: str) -> None:
        self._runtime = runtime
        self._operation = operation

    def __call__(
        self, prefix: str, kind: ResourceType, parameters: Mapping[str, Any], place: Place
    ) -> list[str] | None:
        if prefix == "s3":
            return _s3(kind, self._operation, parameters, place)
        if prefix == "logs":
            return _logs(kind, self._operation, parameters, place)
        lookup = _LOOKUPS.get((prefix, kind.name.lower()))
        return None if lookup is None else lookup(self._runtime, parameters, place)


def _s3(
    kind: ResourceType, operation: str, parameters: Mapping[str, Any], place: Place
) -> list[str] | None:
    bucket = parameters.get("Bucket")
    if not bucket:
        return []
    named = str(bucket)
    base = named if named.startswith("arn:") else f"arn:{place.partition}:s3:::{named}"
    if kind.name == "bucket":
        return [base]
    if kind.name == "object":
        keys = [parameters["Key"]] if parameters.get("Key") else []
        if operation == "DeleteObjects":
            keys = [one.get("Key") for one in parameters.get("Delete", {}).get("Objects", [])]
        return [f"{base}/{key}" for key in keys]
    return []


def _logs(
    kind: ResourceType, operation: str, parameters: Mapping[str, Any], place: Place
) -> list[str] | None:
    """Log groups are `...:log-group:NAME:log-stream:STREAM`, except for the newer tag operations.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-access-control-overview-cwl.html
    """
    if kind.name not in ("log-group", "log-stream"):
        return None
    group = parameters.get("logGroupName") or parameters.get("logGroupIdentifier")
    arns = [str(group)] if str(group or "").startswith("arn:") else []
    named = parameters.get("resourceArn") or (arns[0] if arns else None)
    base = f"arn:{place.partition}:logs:{place.region}:{place.account}:log-group:"
    if operation in ("TagResource", "UntagResource", "ListTagsForResource"):
        return [str(named)] if named and kind.name == "log-group" else []
    found = str(named).removesuffix(":*") if named else f"{base}{group or ''}"
    return [f"{found}:log-stream:{parameters.get('logStreamName') or ''}"]


def _iam(kind: str, listing: str) -> _Lookup:
    def find(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
        del runtime
        name = parameters.get(f"{kind}Name")
        if not name:
            return [] if parameters.get(f"{kind}Arn") is None else None
        backend = entities.backend_of(place.account, place.partition)
        for one in list(getattr(backend, listing).values()):
            if one.name == name:
                return [str(one.arn)]
        path = parameters.get("Path") or "/"
        resource = {"InstanceProfile": "instance-profile"}.get(kind, kind.lower())
        return [f"arn:{place.partition}:iam::{place.account}:{resource}{path}{name}"]

    return find


def _cluster(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
    """A HyperPod cluster's ARN has an id that AWS draws; its name finds it."""
    named = parameters.get("ClusterName") or parameters.get("ClusterArn")
    for account, region, found in list(runtime.stores("sagemaker-clusters")):
        if (account, region) != (place.account, place.region):
            continue
        for cluster in list(found.by_name.values()):
            if named in (cluster.name, cluster.arn, cluster.arn.rsplit("/", 1)[-1]):
                return [str(cluster.arn)]
    return None


def _pcs(kind: str) -> _Lookup:
    """A PCS resource's ARN has the ids that AWS draws; requests name it by id or name."""

    def find(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
        cluster_named = parameters.get("clusterIdentifier")
        for account, region, store in list(runtime.stores("pcs")):
            if (account, region) != (place.account, place.region):
                continue
            for cluster in list(store.clusters.values()):
                if cluster_named not in (cluster.id, cluster.name):
                    continue
                if kind == "cluster":
                    return [str(cluster.arn)]
                listing, member = _PCS_CHILDREN[kind]
                named = parameters.get(member)
                return [
                    str(child.arn)
                    for child in list(getattr(cluster, listing).values())
                    if named in (child.id, child.name)
                ] or None
        return None

    return find


_PCS_CHILDREN = {
    "computenodegroup": ("groups", "computeNodeGroupIdentifier"),
    "queue": ("queues", "queueIdentifier"),
}


def _stack(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
    """A stack's ARN ends in an id that CloudFormation draws; its name finds it."""
    named = parameters.get("StackName")
    if not named or str(named).startswith("arn:"):
        return None
    for account, region, store in list(runtime.stores("cloudformation")):
        if (account, region) == (place.account, place.region):
            for stack in store.stacks():
                if stack.name == named and not stack.gone:
                    return [str(stack.stack_id)]
    return [f"arn:{place.partition}:cloudformation:{place.region}:{place.account}:stack/{named}/*"]


def _secret(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
    """A secret's ARN ends in six random characters; it is found by its name."""
    del runtime
    named = parameters.get("SecretId")
    secrets = moto_state.backend("secretsmanager", place.account, place.region).secrets
    for secret in list(secrets.values()):
        if named is not None and secret.name == named:
            return [str(secret.arn)]
    return None


def _queue(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
    """Requests name a queue by its URL, which ends in account and name."""
    del runtime
    parts = str(parameters.get("QueueUrl") or "").rsplit("/", 2)
    if len(parts) != 3:
        return None
    return [f"arn:{place.partition}:sqs:{place.region}:{parts[1]}:{parts[2]}"]


def _key(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
    """A KMS key by id, ARN or alias."""
    del runtime
    named = parameters.get("KeyId") or parameters.get("TargetKeyId") or parameters.get("AliasName")
    if not named:
        return None
    text, account, region = str(named), place.account, place.region
    if text.startswith("arn:"):
        parts = text.split(":", 5)
        region, account, text = parts[3], parts[4], parts[5]
    backend = moto_state.backend("kms", account, region)
    text = text.removeprefix("key/")
    if text.startswith("alias/"):
        key = backend.get_key_id_from_alias(text)
        if key is None:
            return None
        text = str(key)
    return [f"arn:{place.partition}:kms:{region}:{account}:key/{text}"]


def _organizations_account(
    runtime: Runtime, parameters: Mapping[str, Any], place: Place
) -> list[str] | None:
    """A member's ARN has the management account's number; the default account is the caller's."""
    account = str(parameters.get("TargetId") or parameters.get("ChildId") or place.account)
    if parameters.get("AccountId"):
        return None  # another operation, which names an account
    return [_in_organization(runtime, "account", account, place)] if account.isdigit() else []


def _organizations_target(kind: str, prefix: str) -> _Lookup:
    """A root or an organizational unit by its id."""

    def find(runtime: Runtime, parameters: Mapping[str, Any], place: Place) -> list[str] | None:
        name = str(parameters.get("TargetId") or parameters.get("ChildId") or "")
        return [_in_organization(runtime, kind, name, place)] if name.startswith(prefix) else []

    return find


def _in_organization(runtime: Runtime, kind: str, name: str, place: Place) -> str:
    organization = runtime.world.organization
    manager = (organization.management_account if organization else None) or place.account
    group = organization.id if organization else "o-*"
    return f"arn:{place.partition}:organizations::{manager}:{kind}/{group}/{name}"


_LOOKUPS: dict[tuple[str, str], _Lookup] = {
    ("cloudformation", "stack"): _stack,
    ("iam", "role"): _iam("Role", "roles"),
    ("iam", "user"): _iam("User", "users"),
    ("iam", "group"): _iam("Group", "groups"),
    ("iam", "instance-profile"): _iam("InstanceProfile", "instance_profiles"),
    ("kms", "key"): _key,
    ("organizations", "account"): _organizations_account,
    ("organizations", "organizationalunit"): _organizations_target("ou", "ou-"),
    ("organizations", "root"): _organizations_target("root", "r-"),
    ("pcs", "cluster"): _pcs("cluster"),
    ("pcs", "computenodegroup"): _pcs("computenodegroup"),
    ("pcs", "queue"): _pcs("queue"),
    ("sagemaker", "cluster"): _cluster,
    ("secretsmanager", "secret"): _secret,
    ("sqs", "queue"): _queue,
}

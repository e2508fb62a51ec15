"""The condition keys of one request: global ones, tags, and those of its service.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html

A service's key is filled from the request's parameter of its name (`ec2:InstanceType`,
`fsx:StorageCapacity`), where the Service Authorization Reference gives the action that key; keys
about a resource's state are not filled, except the tags of EC2's resources and of HyperPod
clusters (`resource_tags`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.request_tags import is_reserved, request_tags
from clusterwright_localaws.iam.actions import Action
from clusterwright_localaws.iam.context import RequestContext, Values
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.resources import leaves_of, plain
from clusterwright_localaws.worlds.model import World

# Keys whose name is not the parameter's, by the key in lowercase.
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "sagemaker:instancetypes": ("InstanceType",),
    "sagemaker:vpcsubnets": ("Subnets",),
    "sagemaker:vpcsecuritygroupids": ("SecurityGroupIds",),
    "cloudformation:rolearn": ("RoleARN",),
    "cloudformation:templateurl": ("TemplateURL",),
    "cloudformation:stackpolicyurl": ("StackPolicyURL",),
    "cloudformation:changesetname": ("ChangeSetName",),
    "iam:policyarn": ("PolicyArn",),
    "iam:permissionsboundary": ("PermissionsBoundary",),
    "iam:awsservicename": ("AWSServiceName",),
    "secretsmanager:name": ("Name",),
    "secretsmanager:secretid": ("SecretId",),
    "kms:requestalias": ("KeyId",),
    "s3:x-amz-acl": ("ACL",),
    "s3:x-amz-server-side-encryption": ("ServerSideEncryption",),
    "s3:x-amz-server-side-encryption-aws-kms-key-id": ("SSEKMSKeyId",),
    "s3:x-amz-storage-class": ("StorageClass",),
    "s3:x-amz-copy-source": ("CopySource",),
    "s3:max-keys": ("MaxKeys",),
    "s3:versionid": ("VersionId",),
    "s3:locationconstraint": ("LocationConstraint",),
}


def of_caller(caller: Caller, world: World) -> dict[str, Values]:
    """Condition keys of the caller."""
    found: dict[str, Values] = {
        "aws:PrincipalIsAWSService": "true" if caller.kind == "service" else "false",
        **caller.context,
    }
    if caller.kind == "service":
        found["aws:PrincipalServiceName"] = caller.service
        return found
    if caller.kind == "anonymous":
        found["aws:PrincipalType"] = "Anonymous"
        found["aws:userid"] = "anonymous"
        return found
    found |= {
        "aws:PrincipalArn": caller.principal_arn,
        "aws:PrincipalAccount": caller.account,
        "aws:PrincipalType": {"root": "Account", "user": "User"}.get(caller.kind, "AssumedRole"),
        "aws:userid": caller.unique_id,
        "aws:ViaAWSService": "true" if caller.called_via else "false",
    }
    found |= {f"aws:PrincipalTag/{key}": value for key, value in caller.tags.items()}
    if caller.kind == "user":
        found["aws:username"] = caller.name
    if caller.called_via:
        found["aws:CalledVia"] = caller.called_via
        found["aws:CalledViaFirst"] = caller.called_via[0]
        found["aws:CalledViaLast"] = caller.called_via[-1]
    if world.organization is not None:
        found["aws:PrincipalOrgID"] = world.organization.id
    return found


def of_surroundings(now: datetime, region: str, request: Any) -> dict[str, Values]:
    """Keys that say when, where and how."""
    found: dict[str, Values] = {
        "aws:CurrentTime": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "aws:EpochTime": str(int(now.timestamp())),
        "aws:RequestedRegion": region,
        # A request to the local AWS counts as secure: a client on AWS would use TLS.
        "aws:SecureTransport": "true",
        "s3:TlsVersion": "1.3",
        "aws:SourceIp": str(getattr(request, "remote_addr", None) or "127.0.0.1"),
    }
    agent = request.headers.get("User-Agent") if request is not None else None
    if agent:
        found["aws:UserAgent"] = str(agent)
    return found


def of_parameters(action: Action | None, parameters: Mapping[str, Any]) -> dict[str, Values]:
    """Keys that the action has in the reference, filled from the request's parameters."""
    tags = tags_to_examine(action, parameters)
    found: dict[str, Values] = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    if tags:
        found["aws:TagKeys"] = tuple(tags)
    if action is None:
        return found
    given: dict[str, list[str]] = {}
    for name, value in leaves_of(parameters):
        given.setdefault(plain(name), []).append(value)
    for key in action.condition_keys:
        if key.startswith("aws:") or "${" in key or "/" in key:
            continue
        names = _PARAMETERS.get(key.lower(), (key.partition(":")[2],))
        for name in names:
            values = given.get(plain(name))
            if values:
                found[key] = tuple(dict.fromkeys(values))
                break
    return found


def tags_to_examine(action: Action | None, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags of a request that policies see.

    Of CloudFormation's own only EC2 examines the permission: other services set them for a caller
    who may not tag (aws-cloudformation/aws-cloudformation-resource-providers-sns#75).
    """
    tags = request_tags(parameters)
    if action is not None and action.name.startswith("ec2:"):
        return tags
    return {key: value for key, value in tags.items() if not is_reserved(key)}


def context_of(
    caller: Caller,
    world: World,
    now: datetime,
    region: str,
    request: Any,
    extra: Mapping[str, Values],
) -> RequestContext:
    """Join the keys of a call."""
    return RequestContext(
        {**of_caller(caller, world), **of_surroundings(now, region, request), **extra}
    )

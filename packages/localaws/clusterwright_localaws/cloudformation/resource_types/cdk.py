"""The CDK's resources: metadata, and custom resources that run here, without Lambda.

The custom resources do what their Lambda functions in aws-cdk-lib do; nothing else that is
custom is supported.
"""

from __future__ import annotations

import io
import json
import mimetypes
import zipfile
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.services.s3.cfn import empty_bucket


class Metadata(Handler):
    """The CDK's report to AWS about the constructs in use, which creates nothing."""

    type_name = "AWS::CDK::Metadata"

    def create(self, ctx: Context, properties: Properties) -> Created:
        physical_id = f"{ctx.stack_name}-{ctx.suffix}"
        return Created(physical_id, {"Id": physical_id})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        """Nothing was created."""


class _Custom(Handler):
    """A custom resource: its physical id is chosen when it is created."""

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        # A custom resource is replaced only if its function returns another physical id.
        return set()


class BucketDeployment(_Custom):
    """``aws_s3_deployment.BucketDeployment``: archives of assets put into a bucket.

    The settings are those of the construct's own function (``aws-s3-deployment``'s
    ``bucket-deployment-handler``): several sources, markers replaced at deployment, pruning,
    include and exclude filters, archives kept whole, objects kept at deletion.
    """

    type_name = "Custom::CDKBucketDeployment"
    supported_properties = frozenset(
        {
            "DestinationBucketArn",
            "DestinationBucketKeyPrefix",
            "DestinationBucketName",
            "Exclude",
            "Extract",
            "Include",
            "OutputObjectKeys",
            "OutputObjectVersionIds",
            "Prune",
            "RetainOnDelete",
            "ServiceTimeout",
            "ServiceToken",
            "SignContent",
            "SourceBucketNames",
            "SourceMarkers",
            "SourceMarkersConfig",
            "SourceObjectKeys",
            "SystemMetadata",
            "UserMetadata",
            "WaitForDistributionInvalidation",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        physical_id = f"aws.cdk.s3deployment.{ctx.suffix}"
        self._deploy(ctx, properties)
        return self._created(ctx, physical_id, properties)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        moved = _destination(old) != _destination(new)
        # Like the function, use the new properties: the update that changes the destination
        # decides whether the old one is emptied.
        if moved and not _true(new.get("RetainOnDelete"), default=True):
            self._remove(ctx, old)
        self._deploy(ctx, new)
        return self._created(ctx, physical_id, new)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        if _true(properties.get("RetainOnDelete"), default=True):
            return
        # While the construct's tag is on the bucket, its successor owns the contents.
        if not self._owned(ctx, properties):
            self._remove(ctx, properties)

    def _owned(self, ctx: Context, properties: Properties) -> bool:
        from botocore.exceptions import ClientError

        bucket = properties["DestinationBucketName"]
        prefix = _given_prefix(properties)
        tag = "aws-cdk:cr-owned" + (f":{prefix}" if prefix else "")
        try:
            tags = ctx.client("s3").get_bucket_tagging(Bucket=bucket)["TagSet"]
        except ClientError:
            return False
        return any(one["Key"].startswith(tag) for one in tags)

    def _deploy(self, ctx: Context, properties: Properties) -> None:
        s3 = ctx.client("s3")
        bucket, prefix = _destination(properties)
        put: set[str] = set()
        for name, data in self._files(s3, properties):
            if not _wanted(name, properties):
                continue
            key = f"{prefix}{name}"
            kind = mimetypes.guess_type(name)[0] or "binary/octet-stream"
            s3.put_object(
                Bucket=bucket,
                Key=key,
                Body=data,
                **{"ContentType": kind, **_system_metadata(properties)},
                Metadata={
                    key.lower(): value for key, value in properties.get("UserMetadata", {}).items()
                },
            )
            put.add(key)
        if _true(properties.get("Prune"), default=True):
            gone = [
                key
                for key in _keys(s3, bucket, prefix)
                if key not in put and _wanted(key.removeprefix(prefix), properties)
            ]
            _delete(s3, bucket, gone)

    def _files(self, s3: Any, properties: Properties) -> Iterator[tuple[str, bytes]]:
        buckets, keys = properties["SourceBucketNames"], properties["SourceObjectKeys"]
        markers = properties.get("SourceMarkers") or [{} for _ in keys]
        configs = properties.get("SourceMarkersConfig") or [{} for _ in keys]
        if not len(buckets) == len(keys) == len(markers) == len(configs):
            raise HandlerFailure("'source_markers' and 's3_source_zips' must be the same length")
        for bucket, key, marks, config in zip(buckets, keys, markers, configs, strict=True):
            data = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
            if not _true(properties.get("Extract"), default=True):
                yield key.rsplit("/", 1)[-1], data
                continue
            try:
                archive = zipfile.ZipFile(io.BytesIO(data))
            except zipfile.BadZipFile:
                raise HandlerFailure(f"s3://{bucket}/{key} is no archive") from None
            with archive:
                for entry in archive.infolist():
                    if not entry.is_dir():
                        yield _safe(entry.filename), _marked(archive.read(entry), marks, config)

    def _remove(self, ctx: Context, properties: Properties) -> None:
        s3 = ctx.client("s3")
        bucket, prefix = _destination(properties)
        _delete(s3, bucket, list(_keys(s3, bucket, prefix)))

    def _versions(self, ctx: Context, properties: Properties) -> list[str]:
        from botocore.exceptions import ClientError

        s3 = ctx.client("s3")
        bucket, prefix = _destination(properties)
        found = []
        for key in properties["SourceObjectKeys"]:
            try:
                answer = s3.head_object(Bucket=bucket, Key=prefix + key.rsplit("/", 1)[-1])
                found.append(answer.get("VersionId", ""))
            except ClientError:  # left out by a filter
                found.append("")
        return found

    def _created(self, ctx: Context, physical_id: str, properties: Properties) -> Created:
        bucket = properties["DestinationBucketName"]
        attributes: dict[str, Any] = {
            "DestinationBucketArn": properties.get(
                "DestinationBucketArn", f"arn:{ctx.partition}:s3:::{bucket}"
            )
        }
        shown = _true(properties.get("OutputObjectKeys"), default=True)
        attributes["SourceObjectKeys"] = list(properties["SourceObjectKeys"]) if shown else []
        if _true(properties.get("OutputObjectVersionIds"), default=False):
            attributes["SourceObjectVersionIds"] = self._versions(ctx, properties)
        return Created(physical_id, attributes)


class AutoDeleteObjects(_Custom):
    """Empties a bucket before it is deleted: ``auto_delete_objects`` of the CDK's bucket.

    As its function does, it deletes only if the bucket still has the tag
    ``aws-cdk:auto-delete-objects``.
    """

    type_name = "Custom::S3AutoDeleteObjects"

    def create(self, ctx: Context, properties: Properties) -> Created:
        return Created(f"{ctx.stack_name}-{ctx.logical_id}-{ctx.suffix}")

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        if old["BucketName"] != new["BucketName"]:
            self.delete(ctx, physical_id, old)
        return Created(physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        from botocore.exceptions import ClientError

        s3, name = ctx.client("s3"), properties["BucketName"]
        try:
            tags = s3.get_bucket_tagging(Bucket=name)["TagSet"]
        except ClientError as error:
            if error.response["Error"]["Code"] in ("NoSuchBucket", "NoSuchTagSet"):
                return
            raise
        if {"Key": "aws-cdk:auto-delete-objects", "Value": "true"} in tags:
            empty_bucket(s3, name)


class RestrictDefaultSecurityGroup(_Custom):
    """Removes the rules of a VPC's default security group, and restores them on deletion."""

    type_name = "Custom::VpcRestrictDefaultSG"

    def create(self, ctx: Context, properties: Properties) -> Created:
        self._revoke(ctx, properties)
        return Created(f"{ctx.stack_name}-{ctx.logical_id}-{ctx.suffix}")

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        if old["DefaultSecurityGroupId"] != new["DefaultSecurityGroupId"]:
            self._authorize(ctx, old)
            self._revoke(ctx, new)
        return Created(physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        self._authorize(ctx, properties)

    def _revoke(self, ctx: Context, properties: Properties) -> None:
        from botocore.exceptions import ClientError

        ec2 = ctx.client("ec2")
        inward, outward = _default_rules(ctx, properties)
        for revoke, rules in (
            (ec2.revoke_security_group_egress, outward),
            (ec2.revoke_security_group_ingress, inward),
        ):
            try:
                revoke(GroupId=properties["DefaultSecurityGroupId"], IpPermissions=rules)
            except ClientError as error:
                if error.response["Error"]["Code"] != "InvalidPermission.NotFound":
                    raise

    def _authorize(self, ctx: Context, properties: Properties) -> None:
        ec2, group = ctx.client("ec2"), properties["DefaultSecurityGroupId"]
        inward, outward = _default_rules(ctx, properties)
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=inward)
        ec2.authorize_security_group_egress(GroupId=group, IpPermissions=outward)


def _default_rules(
    ctx: Context, properties: Properties
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    pair = {
        "GroupId": properties["DefaultSecurityGroupId"],
        "UserId": properties.get("Account", ctx.account),
    }
    return (
        [{"IpProtocol": "-1", "UserIdGroupPairs": [pair]}],
        [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}],
    )


def _true(value: Any, *, default: bool) -> bool:
    return default if value is None else str(value).lower() == "true"


def _given_prefix(properties: Properties) -> str:
    prefix = str(properties.get("DestinationBucketKeyPrefix", ""))
    return "" if prefix == "/" else prefix


def _destination(properties: Properties) -> tuple[str, str]:
    """Return bucket and prefix; a slash at the front of a prefix is part of every key."""
    prefix = _given_prefix(properties)
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    return properties["DestinationBucketName"], prefix


def _safe(name: str) -> str:
    """Return an entry's name as it is unpacked: within the folder, whatever it says."""
    return "/".join(part for part in name.split("/") if part not in ("", ".", ".."))


def _wanted(name: str, properties: Properties) -> bool:
    """Apply the filters as ``aws s3 sync`` does: later ones win, and the includes come later."""
    excluded = any(fnmatchcase(name, one) for one in properties.get("Exclude", []))
    return not excluded or any(fnmatchcase(name, one) for one in properties.get("Include", []))


def _marked(data: bytes, markers: Mapping[str, str], config: Mapping[str, Any]) -> bytes:
    """Replace the markers of values that are known only at deployment."""
    for marker, value in markers.items():
        text = str(value)
        if _true(config.get("jsonEscape"), default=False):
            text = json.dumps(text)[1:-1]
        data = data.replace(marker.encode(), text.encode())
    return data


def _system_metadata(properties: Properties) -> dict[str, str]:
    names = {
        "acl": "ACL",
        "cache-control": "CacheControl",
        "content-disposition": "ContentDisposition",
        "content-encoding": "ContentEncoding",
        "content-language": "ContentLanguage",
        "content-type": "ContentType",
        "expires": "Expires",
        "sse": "ServerSideEncryption",
        "sse-kms-key-id": "SSEKMSKeyId",
        "storage-class": "StorageClass",
        "website-redirect": "WebsiteRedirectLocation",
    }
    given = {
        key.lower(): str(value) for key, value in properties.get("SystemMetadata", {}).items()
    }
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise HandlerFailure(
            f"The local AWS does not support the system metadata {', '.join(unknown)}",
            "InvalidRequest",
        )
    return {names[key]: value for key, value in given.items()}


def _keys(s3: Any, bucket: str, prefix: str) -> Iterator[str]:
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    for page in pages:
        for one in page.get("Contents", []):
            yield one["Key"]


def _delete(s3: Any, bucket: str, keys: list[str]) -> None:
    # A request deletes at most 1,000 objects.
    for start in range(0, len(keys), 1000):
        s3.delete_objects(
            Bucket=bucket,
            Delete={
                "Objects": [{"Key": key} for key in keys[start : start + 1000]],
                "Quiet": True,
            },
        )

"""Buckets, their settings and their policies."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.dynamic_values import url_suffix
from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import pick, policy_text, retag

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl
_CANNED_ACLS = {
    "AuthenticatedRead": "authenticated-read",
    "AwsExecRead": "aws-exec-read",
    "BucketOwnerFullControl": "bucket-owner-full-control",
    "BucketOwnerRead": "bucket-owner-read",
    "LogDeliveryWrite": "log-delivery-write",
    "Private": "private",
    "PublicRead": "public-read",
    "PublicReadWrite": "public-read-write",
}


class Bucket(Handler):
    type_name = "AWS::S3::Bucket"
    unsupported_attributes = frozenset({"MetadataConfiguration", "MetadataTableConfiguration"})
    supported_properties = frozenset(
        {
            "AccessControl",
            "BucketEncryption",
            "BucketName",
            "CorsConfiguration",
            "LifecycleConfiguration",
            "LoggingConfiguration",
            "ObjectLockEnabled",
            "OwnershipControls",
            "PublicAccessBlockConfiguration",
            "Tags",
            "VersioningConfiguration",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        s3 = ctx.client("s3")
        name = properties.get("BucketName") or ctx.generated_name(max_length=63, lower=True)
        parameters: dict[str, Any] = {"Bucket": name}
        if ctx.region != "us-east-1":
            parameters["CreateBucketConfiguration"] = {"LocationConstraint": ctx.region}
        if properties.get("ObjectLockEnabled"):
            parameters["ObjectLockEnabledForBucket"] = True
        if properties.get("AccessControl") and not properties.get("OwnershipControls"):
            # S3 refuses all of them but `private` for a new bucket.
            parameters["ACL"] = _CANNED_ACLS[properties["AccessControl"]]
        if ctx.region == "us-east-1":
            # Only there S3 answers a second creation by the owner with success.
            _refuse_own(s3, name)
        s3.create_bucket(**parameters)
        ctx.identify(name)
        self._configure(ctx, name, {}, properties)
        return self._created(ctx, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        self._configure(ctx, physical_id, old, new)
        return self._created(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("s3").delete_bucket(Bucket=physical_id)

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties | None:
        from botocore.exceptions import ClientError

        s3 = ctx.client("s3")
        s3.head_bucket(Bucket=physical_id)
        actual: dict[str, Any] = {"BucketName": physical_id}
        if "VersioningConfiguration" in properties:
            status = s3.get_bucket_versioning(Bucket=physical_id).get("Status", "Suspended")
            actual["VersioningConfiguration"] = {"Status": status}
        if "PublicAccessBlockConfiguration" in properties:
            try:
                block = s3.get_public_access_block(Bucket=physical_id)
                actual["PublicAccessBlockConfiguration"] = block["PublicAccessBlockConfiguration"]
            except ClientError:
                actual["PublicAccessBlockConfiguration"] = {}
        if "Tags" in properties:
            try:
                actual["Tags"] = s3.get_bucket_tagging(Bucket=physical_id)["TagSet"]
            except ClientError:
                actual["Tags"] = []
            own = {tag["Key"] for tag in properties["Tags"]}
            actual["Tags"] = [
                tag
                for tag in actual["Tags"]
                if tag["Key"] in own or tag["Key"] not in ctx.stack_tags
            ]
        return actual

    def _configure(self, ctx: Context, name: str, old: Properties, new: Properties) -> None:
        s3 = ctx.client("s3")
        for key, apply in (
            ("OwnershipControls", _ownership),
            ("PublicAccessBlockConfiguration", _public_access),
            ("AccessControl", _access_control),
            ("BucketEncryption", _encryption),
            ("VersioningConfiguration", _versioning),
            ("LifecycleConfiguration", _lifecycle),
            ("LoggingConfiguration", _logging),
            ("CorsConfiguration", _cors),
        ):
            if old.get(key) != new.get(key):
                apply(s3, name, new.get(key))
        tags, before = ctx.tags(new.get("Tags")), ctx.tag_changes(old.get("Tags"), new.get("Tags"))
        if any(before):
            if tags:
                s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": tags})
            else:
                s3.delete_bucket_tagging(Bucket=name)

    def _created(self, ctx: Context, name: str) -> Created:
        suffix = url_suffix(ctx.partition)
        return Created(
            name,
            {
                "Arn": f"arn:{ctx.partition}:s3:::{name}",
                "DomainName": f"{name}.s3.{suffix}",
                "DualStackDomainName": f"{name}.s3.dualstack.{ctx.region}.{suffix}",
                "RegionalDomainName": f"{name}.s3.{ctx.region}.{suffix}",
                "WebsiteURL": f"http://{name}.s3-website-{ctx.region}.{suffix}",
            },
        )


class BucketPolicy(Handler):
    type_name = "AWS::S3::BucketPolicy"

    def create(self, ctx: Context, properties: Properties) -> Created:
        self._put(ctx, properties)
        return Created(properties["Bucket"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        self._put(ctx, new)
        return Created(physical_id)

    def exists(self, ctx: Context, physical_id: str, properties: Properties) -> bool:
        return bool(ctx.client("s3").get_bucket_policy(Bucket=properties["Bucket"])["Policy"])

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("s3").delete_bucket_policy(Bucket=properties["Bucket"])

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        import json

        found = ctx.client("s3").get_bucket_policy(Bucket=properties["Bucket"])["Policy"]
        return {"Bucket": properties["Bucket"], "PolicyDocument": json.loads(found)}

    def _put(self, ctx: Context, properties: Properties) -> None:
        ctx.client("s3").put_bucket_policy(
            Bucket=properties["Bucket"], Policy=policy_text(properties["PolicyDocument"])
        )


class DirectoryBucket(Handler):
    """S3 Express One Zone. The name ends in the zone: ``name--use1-az6--x-s3``.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html
    """

    type_name = "AWS::S3Express::DirectoryBucket"
    supported_properties = frozenset(
        {"BucketEncryption", "BucketName", "DataRedundancy", "LocationName", "Tags"}
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        s3 = ctx.client("s3")
        zone = properties["LocationName"]
        suffix = f"--{zone}--x-s3"
        name = properties.get("BucketName") or (
            ctx.generated_name(max_length=63 - len(suffix), lower=True) + suffix
        )
        s3.create_bucket(
            Bucket=name,
            CreateBucketConfiguration={
                "Location": {"Type": "AvailabilityZone", "Name": zone},
                "Bucket": {
                    "Type": "Directory",
                    "DataRedundancy": properties["DataRedundancy"],
                },
            },
        )
        ctx.identify(name)
        if "BucketEncryption" in properties:
            _encryption(s3, name, properties["BucketEncryption"])
        self._tag(ctx, name, {}, properties)
        return self._created(ctx, name, zone)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        if old.get("BucketEncryption") != new.get("BucketEncryption"):
            _encryption(ctx.client("s3"), physical_id, new.get("BucketEncryption"))
        self._tag(ctx, physical_id, old, new)
        return self._created(ctx, physical_id, new["LocationName"])

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("s3").delete_bucket(Bucket=physical_id)

    def _tag(self, ctx: Context, name: str, old: Properties, new: Properties) -> None:
        arn = _directory_arn(ctx, name)
        retag(ctx, "s3control", old, new, AccountId=ctx.account, ResourceArn=arn)

    def _created(self, ctx: Context, name: str, zone: str) -> Created:
        found = ctx.client("ec2").describe_availability_zones(AllAvailabilityZones=True)
        names = {item["ZoneId"]: item["ZoneName"] for item in found["AvailabilityZones"]}
        return Created(
            name,
            {
                "Arn": _directory_arn(ctx, name),
                "AvailabilityZoneName": names.get(zone, ""),
            },
        )


def _directory_arn(ctx: Context, name: str) -> str:
    return f"arn:{ctx.partition}:s3express:{ctx.region}:{ctx.account}:bucket/{name}"


def empty_bucket(s3: Any, name: str) -> None:
    """Delete every object of a bucket, in all its versions."""
    while True:
        # Always the first page: what a marker names is deleted.
        page = s3.list_object_versions(Bucket=name)
        gone = [
            {"Key": item["Key"], "VersionId": item["VersionId"]}
            for kind in ("Versions", "DeleteMarkers")
            for item in page.get(kind, [])
        ]
        if not gone:
            return
        s3.delete_objects(Bucket=name, Delete={"Objects": gone, "Quiet": True})


def _refuse_own(s3: Any, name: str) -> None:
    from botocore.exceptions import ClientError

    from clusterwright_localaws.cloudformation.handler import HandlerFailure

    try:
        s3.head_bucket(Bucket=name)
    except ClientError:
        return
    raise HandlerFailure(f"{name} already exists", "AlreadyExists")


def _access_control(s3: Any, name: str, value: str | None) -> None:
    s3.put_bucket_acl(Bucket=name, ACL=_CANNED_ACLS[value or "Private"])


def _ownership(s3: Any, name: str, value: Any) -> None:
    if value:
        s3.put_bucket_ownership_controls(Bucket=name, OwnershipControls=value)
    else:
        s3.delete_bucket_ownership_controls(Bucket=name)


def _public_access(s3: Any, name: str, value: Any) -> None:
    if value:
        s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=value)
    else:
        s3.delete_public_access_block(Bucket=name)


def _encryption(s3: Any, name: str, value: Any) -> None:
    if not value:
        s3.delete_bucket_encryption(Bucket=name)
        return
    rules = []
    for rule in value["ServerSideEncryptionConfiguration"]:
        out = pick(rule, "BucketKeyEnabled")
        if "ServerSideEncryptionByDefault" in rule:
            out["ApplyServerSideEncryptionByDefault"] = rule["ServerSideEncryptionByDefault"]
        rules.append(out)
    s3.put_bucket_encryption(Bucket=name, ServerSideEncryptionConfiguration={"Rules": rules})


def _versioning(s3: Any, name: str, value: Any) -> None:
    status = value["Status"] if value else "Suspended"
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": status})


def _logging(s3: Any, name: str, value: Any) -> None:
    status: dict[str, Any] = {}
    if value is not None:
        status["LoggingEnabled"] = {
            # Without a destination, a bucket stores its own logs.
            "TargetBucket": value.get("DestinationBucketName", name),
            "TargetPrefix": value.get("LogFilePrefix", ""),
            **pick(value, "TargetObjectKeyFormat"),
        }
    s3.put_bucket_logging(Bucket=name, BucketLoggingStatus=status)


def _cors(s3: Any, name: str, value: Any) -> None:
    if not value:
        s3.delete_bucket_cors(Bucket=name)
        return
    rules = [
        pick(
            rule,
            "AllowedHeaders",
            "AllowedMethods",
            "AllowedOrigins",
            ExposedHeaders="ExposeHeaders",
            Id="ID",
            MaxAge="MaxAgeSeconds",
        )
        for rule in value["CorsRules"]
    ]
    s3.put_bucket_cors(Bucket=name, CORSConfiguration={"CORSRules": rules})


def _lifecycle(s3: Any, name: str, value: Any) -> None:
    if not value:
        s3.delete_bucket_lifecycle(Bucket=name)
        return
    s3.put_bucket_lifecycle_configuration(
        Bucket=name,
        LifecycleConfiguration={
            "Rules": [_lifecycle_rule(rule, number) for number, rule in enumerate(value["Rules"])]
        },
    )


def _lifecycle_rule(rule: Properties, number: int) -> dict[str, Any]:
    out: dict[str, Any] = {
        "ID": rule.get("Id", f"rule-{number + 1}"),
        "Status": rule["Status"],
        **pick(rule, "AbortIncompleteMultipartUpload"),
        "Filter": _lifecycle_filter(rule),
    }
    expiration = pick(
        rule,
        "ExpiredObjectDeleteMarker",
        ExpirationInDays="Days",
        ExpirationDate="Date",
    )
    if expiration:
        out["Expiration"] = expiration
    transitions = [*rule.get("Transitions", [])]
    if "Transition" in rule:
        transitions.append(rule["Transition"])
    if transitions:
        out["Transitions"] = [
            pick(transition, "StorageClass", TransitionInDays="Days", TransitionDate="Date")
            for transition in transitions
        ]
    noncurrent = [*rule.get("NoncurrentVersionTransitions", [])]
    if "NoncurrentVersionTransition" in rule:
        noncurrent.append(rule["NoncurrentVersionTransition"])
    if noncurrent:
        out["NoncurrentVersionTransitions"] = [
            pick(
                item, "NewerNoncurrentVersions", "StorageClass", TransitionInDays="NoncurrentDays"
            )
            for item in noncurrent
        ]
    if "NoncurrentVersionExpiration" in rule:
        out["NoncurrentVersionExpiration"] = rule["NoncurrentVersionExpiration"]
    elif "NoncurrentVersionExpirationInDays" in rule:
        out["NoncurrentVersionExpiration"] = {
            "NoncurrentDays": rule["NoncurrentVersionExpirationInDays"]
        }
    return out


def _lifecycle_filter(rule: Properties) -> dict[str, Any]:
    parts: list[tuple[str, Any]] = []
    if "Prefix" in rule:
        parts.append(("Prefix", rule["Prefix"]))
    parts.extend(("Tag", tag) for tag in rule.get("TagFilters", []))
    parts.extend(
        (key, int(rule[key]))
        for key in ("ObjectSizeGreaterThan", "ObjectSizeLessThan")
        if key in rule
    )
    if not parts:
        return {"Prefix": ""}
    if len(parts) == 1:
        return dict(parts)
    both: dict[str, Any] = {}
    for key, value in parts:
        if key == "Tag":
            both.setdefault("Tags", []).append(value)
        else:
            both[key] = value
    return {"And": both}

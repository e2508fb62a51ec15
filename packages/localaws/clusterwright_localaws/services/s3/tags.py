"""Which tags S3 refuses, of objects and of buckets.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
Refusals recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.request_tags import is_reserved
from clusterwright_localaws.services.s3.object_versions import existing_version
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_MOST_TAGS: Final = 10
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/CostAllocTagging.html
_MOST_TAGS_OF_A_BUCKET: Final = 50
_LONGEST_KEY: Final = 128
_LONGEST_VALUE: Final = 256
_ALLOWED: Final = re.compile(r"[\w\s.:/=+\-@]*")
_OF_A_BUCKET: Final = "System tags cannot be added/updated by requester"
# As quoted in cloud-custodian/cloud-custodian#2834.
_REMOVED: Final = "System Tags cannot be removed by requester"
_OF_AN_OBJECT: Final = "Your TagKey cannot be prefixed with aws:"
_OF_A_NEW_BUCKET: Final = (
    'User-defined tag keys can\'t start with "aws:". This prefix is reserved for system tags. '
    'Remove "aws:" from your tag keys and try again.'
)


@operation("s3", "PutBucketTagging", "DeleteBucketTagging")
def put_bucket_tagging(call: Call) -> Mapping[str, Any]:
    bucket = find_bucket(call.parameters["Bucket"])
    if bucket is None:
        raise ForwardToMoto
    from moto.s3.models import s3_backends

    tagger = s3_backends[bucket.account_id][call.partition].tagger
    before = tagger.get_tag_dict_for_resource(bucket.arn)
    of_aws = {} if call.by_aws else {key: one for key, one in before.items() if is_reserved(key)}
    pairs = _pairs(call.parameters.get("Tagging", {}).get("TagSet", ()))
    # What AWS has set is sent back as it is (hashicorp/terraform-provider-aws#7323).
    sent = [pair for pair in pairs if pair not in of_aws.items()]
    users = [key for key, _ in pairs if not is_reserved(key)]
    if len(users) > _MOST_TAGS_OF_A_BUCKET:
        # As quoted by those who compare their servers with S3.
        raise AwsError("BadRequest", "Bucket tag count cannot be greater than 50", 400)
    _check(sent, _OF_A_BUCKET, by_aws=call.by_aws)
    if not set(of_aws) <= {key for key, _ in pairs}:
        raise _invalid(_REMOVED)
    tagger.delete_all_tags_for_resource(bucket.arn)
    tagger.tag_resource(bucket.arn, [{"Key": key, "Value": value} for key, value in pairs])
    return {}


@operation("s3", "GetObjectTagging", "PutObjectTagging", "DeleteObjectTagging")
def object_tagging(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    bucket = find_bucket(request["Bucket"])
    if bucket is None:
        raise ForwardToMoto
    existing_version(bucket, request, call.operation.removesuffix("ObjectTagging").upper())
    if "Tagging" in request:
        _check(_pairs(request["Tagging"]["TagSet"]), _OF_AN_OBJECT, most=_MOST_TAGS)
    raise ForwardToMoto


def check_new_bucket_tags(tags: Sequence[Mapping[str, Any]]) -> None:
    """Check the tags of a bucket that is created.

    Raises
    ------
    AwsError
        InvalidTag
    """
    _check(_pairs(tags), _OF_A_NEW_BUCKET)


def check_tags(header: str) -> None:
    """Check the tags of a new object, before it exists.

    Raises
    ------
    AwsError
        InvalidArgument, BadRequest, InvalidTag
    """
    pairs = parse_qsl(header, keep_blank_values=True)
    keys = [key for key, _ in pairs]
    allowed = all(_ALLOWED.fullmatch(text) for pair in pairs for text in pair)
    if not pairs or len(set(keys)) != len(keys) or not allowed:
        raise AwsError(
            "InvalidArgument",
            "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query "
            "parameters without tag name duplicates.",
            400,
            ArgumentName="x-amz-tagging",
            ArgumentValue=header,
        )
    _check(pairs, _OF_AN_OBJECT, most=_MOST_TAGS)


def _check(
    pairs: Sequence[tuple[str, str]],
    reserved: str,
    *,
    most: int | None = None,
    by_aws: bool = False,
) -> None:
    if most is not None and len(pairs) > most:
        raise AwsError("BadRequest", "Object tags cannot be greater than 10", 400)
    seen: set[str] = set()
    for key, value in pairs:
        if key in seen:
            raise _invalid("Cannot provide multiple Tags with the same key", TagKey=key)
        seen.add(key)
        if is_reserved(key) and not by_aws:
            named = {} if reserved == _OF_A_NEW_BUCKET else {"TagKey": key}
            raise _invalid(reserved, **named)
        if not 1 <= len(key) <= _LONGEST_KEY or not _ALLOWED.fullmatch(key):
            raise _invalid("The TagKey you have provided is invalid", TagKey=key)
        if len(value) > _LONGEST_VALUE or not _ALLOWED.fullmatch(value):
            text = "The TagValue you have provided is invalid"
            raise _invalid(text, TagKey=key, TagValue=value)


def _pairs(tags: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(str(tag["Key"]), str(tag["Value"])) for tag in tags]


def _invalid(message: str, **members: str) -> AwsError:
    return AwsError("InvalidTag", message, 400, **members)

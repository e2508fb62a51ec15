"""What S3 refuses of buckets and their settings, and moto accepts.

Names: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
Locations: as recorded on AWS by the maintainers of moto (tests marked as verified).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.service_models import loader
from clusterwright_localaws.services.s3.access_checks import check_new_bucket
from clusterwright_localaws.services.s3.tags import check_new_bucket_tags
from clusterwright_localaws.services.s3.world_buckets import find_bucket

US_EAST_1: Final = "us-east-1"
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{1,61})[a-z0-9]")
_PREFIXES: Final = ("xn--", "sthree-", "amzn-s3-demo-")
_SUFFIXES: Final = ("-s3alias", "--ol-s3", ".mrap", "--table-s3")
_DIRECTORY: Final = "--x-s3"


@operation("s3", "CreateBucket")
def create_bucket(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    if not request["Bucket"].endswith(_DIRECTORY):
        _check_name(request["Bucket"])
        configuration = request.get("CreateBucketConfiguration") or {}
        _check_location(call.region, configuration.get("LocationConstraint"))
        check_new_bucket(request)
        _check_tags(call, configuration.get("Tags"))
    raise ForwardToMoto


def _check_name(name: str) -> None:
    try:
        ipaddress.IPv4Address(name)
        is_address = True
    except ValueError:
        is_address = False
    if (
        is_address
        or not _NAME.fullmatch(name)
        or ".." in name
        or name.startswith(_PREFIXES)
        or name.endswith(_SUFFIXES)
    ):
        raise AwsError(
            "InvalidBucketName", "The specified bucket is not valid.", 400, BucketName=name
        )


def _check_location(region: str, given: str | None) -> None:
    """Refuse a location that the endpoint cannot use; us-east-1's reaches every region."""
    if region == US_EAST_1:
        if given and given != "EU" and (given == region or given not in locations()):
            raise AwsError(
                "InvalidLocationConstraint",
                "The specified location-constraint is not valid",
                400,
                LocationConstraint=given,
            )
    elif given != region:
        raise AwsError(
            "IllegalLocationConstraintException",
            f"The {given or 'unspecified'} location constraint is incompatible for the region "
            "specific endpoint this request was sent to.",
            400,
        )


def _check_tags(call: Call, tags: Any) -> None:
    """Check the tags of a new bucket; one that exists is not created again with tags."""
    if not tags:
        return
    name = call.parameters["Bucket"]
    existing = find_bucket(name)
    if existing is not None and existing.account_id == call.account:
        raise AwsError(
            "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it.",
            409,
            BucketName=name,
        )
    check_new_bucket_tags(tags)


def locations() -> frozenset[str]:
    """Return the regions that a bucket's location may name."""
    model = loader().load_service_model("s3", "service-2")
    return frozenset(model["shapes"]["BucketLocationConstraint"]["enum"])

"""What S3 refuses of requests for lists, and moto accepts.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.bucket_checks import US_EAST_1, locations
from clusterwright_localaws.services.s3.world_buckets import find_bucket


@operation("s3", "ListObjectVersions")
def list_versions(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    if request.get("VersionIdMarker") and not request.get("KeyMarker"):
        raise _invalid(
            "A version-id marker cannot be specified without a key marker.",
            ArgumentName="version-id-marker",
            ArgumentValue=request["VersionIdMarker"],
        )
    raise ForwardToMoto


@operation("s3", "ListObjectsV2")
def list_objects(call: Call) -> Mapping[str, Any]:
    if call.parameters.get("ContinuationToken") == "":
        text = "The continuation token provided is incorrect"
        raise _invalid(text, ArgumentName="continuation-token")
    raise ForwardToMoto


@operation("s3", "ListMultipartUploads")
def list_uploads(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    key, upload_id = request.get("KeyMarker"), request.get("UploadIdMarker")
    bucket = find_bucket(request["Bucket"])
    if bucket is not None and key and upload_id:
        upload = bucket.multiparts.get(upload_id)
        if upload is None or upload.key_name != key:
            raise _invalid(
                "Invalid uploadId marker",
                ArgumentName="upload-id-marker",
                ArgumentValue=upload_id,
            )
    raise ForwardToMoto


@operation("s3", "ListBuckets")
def list_buckets(call: Call) -> Mapping[str, Any]:
    region = call.parameters.get("BucketRegion")
    if region and region != US_EAST_1 and region not in locations():
        text = f"Argument value {region} is not a valid AWS Region"
        raise _invalid(text, ArgumentName="bucket-region")
    raise ForwardToMoto


def _invalid(message: str, **members: str) -> AwsError:
    return AwsError("InvalidArgument", message, 400, **members)

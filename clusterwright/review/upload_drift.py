"""Objects that a deployed custom resource uploaded, and that were written again or deleted since.

The CDK's bucket deployment copies files while CloudFormation creates or updates its resource, and
not at another time: what S3 says was written later was written by another user. Nodes run the
lifecycle scripts as root.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.review.assembly import Assembly
from clusterwright.review.physical_values import PhysicalValues
from clusterwright.review.resource_changes import Key, resources_of
from clusterwright.review.results import SpecChange

TYPE: Final = "Custom::CDKBucketDeployment"


@dataclass(frozen=True)
class Upload:
    """Where a resource uploaded its files; `at` is when CloudFormation was done with it."""

    key: Key
    bucket: str
    prefix: str
    at: dt.datetime


def uploads_of(
    deployed: Assembly, physical_ids: Mapping[Key, str], updated: Mapping[Key, dt.datetime]
) -> Iterator[Upload]:
    """The uploads whose place and time are known.

    Parameters
    ----------
    updated:
        When CloudFormation completed a resource. While it is updated, its own objects are later
        than its last status.
    """
    values = PhysicalValues(deployed, physical_ids)
    for key, side in resources_of(deployed).items():
        if side.type != TYPE or key not in updated:
            continue
        bucket, prefix = (
            values.of(key[0], side.properties.get(name) or "")
            for name in ("DestinationBucketName", "DestinationBucketKeyPrefix")
        )
        if isinstance(bucket, str) and isinstance(prefix, str) and bucket:
            folder = f"{prefix.rstrip('/')}/" if prefix else ""
            yield Upload(key, bucket, folder, updated[key])


def upload_drift(
    upload: Upload, written: Iterable[tuple[str, dt.datetime]]
) -> tuple[SpecChange, ...]:
    """The objects of an upload (key and time of the last writing) that were written after it.

    A folder without objects was deleted: every upload has files.
    """
    objects = sorted(written)
    if not objects:
        place = f"{'/'.join(upload.key)}.s3://{upload.bucket}/{upload.prefix}"
        return (SpecChange(place, "there", "deleted"),)
    return tuple(
        SpecChange(
            f"{'/'.join(upload.key)}.s3://{upload.bucket}/{name}",
            f"written before {_utc(upload.at)}",
            f"written at {_utc(at)}",
        )
        for name, at in objects
        if at > upload.at
    )


def _utc(time: dt.datetime) -> str:
    return time.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

"""Buckets."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.errors import AwsUnavailable, is_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Bucket:
    """A bucket that answers. `region` is None where S3 does not name it."""

    name: str
    region: str | None


def bucket(session: AwsSession, name: str) -> Bucket | None:
    """A bucket as HeadBucket sees it; None where there is none of that name.

    Raises
    ------
    AwsUnavailable
        Also where the bucket exists and this identity may not see it (403): whether the cluster
        may is then not known.
    """
    try:
        answer = session.call("s3", "HeadBucket", Bucket=name)
    except AwsUnavailable as error:
        if is_not_found(error):
            return None
        if error.code in ("301", "PermanentRedirect", "400", "BadRequest"):
            return Bucket(name, _location(session, name))
        raise
    return Bucket(name, answer.get("BucketRegion"))


def _location(session: AwsSession, name: str) -> str | None:
    # GetBucketLocation answers from any region; us-east-1 is an empty answer, EU is eu-west-1.
    found = session.call("s3", "GetBucketLocation", Bucket=name).get("LocationConstraint")
    return {None: "us-east-1", "": "us-east-1", "EU": "eu-west-1"}.get(found, found)

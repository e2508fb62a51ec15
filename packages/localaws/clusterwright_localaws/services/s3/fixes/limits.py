"""moto creates any number of buckets; S3 has a quota per account.

Code: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.runtime import Runtime, runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: CreateBucket refuses requests beyond the world's quota of general purpose buckets"
)
_BUCKETS = ("s3", "L-DC2B2D3D")


def apply() -> None:
    from moto.s3.models import S3Backend

    create_in_moto = S3Backend.create_bucket

    def create_bucket(
        self: Any, bucket_name: str, region_name: str, *more: Any, **named: Any
    ) -> Any:
        from moto.s3.exceptions import S3ClientError

        # The world's buckets exist independent of its quota.
        world = {seed.name for seed in runtime().world.buckets} if runtime().active else set()
        counts = not bucket_name.endswith("--x-s3") and bucket_name not in world
        if runtime().active and counts and bucket_name not in self.buckets:
            found = quotas.quota(runtime(), region_name, *_BUCKETS)
            used = quotas.in_use(runtime(), self.account_id, region_name, *_BUCKETS)
            if found is not None and found.value is not None and used + 1 > found.value:
                raise S3ClientError(
                    "TooManyBuckets",
                    "You have attempted to create more buckets than allowed",
                )
        return create_in_moto(self, bucket_name, region_name, *more, **named)

    S3Backend.create_bucket = create_bucket  # type: ignore[method-assign]


@quotas.counts_usage(*_BUCKETS)
def _buckets(current: Runtime, account: str, region: str) -> float:
    from moto.s3.models import s3_backends

    return float(
        sum(
            not name.endswith("--x-s3")
            for backend in s3_backends[account].values()
            for name in backend.buckets
        )
    )

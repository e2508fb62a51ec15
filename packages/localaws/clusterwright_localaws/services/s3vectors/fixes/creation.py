"""moto's new vector buckets and indexes have no time of creation, and their calls no answer.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_CreateVectorBucket.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_CreateIndex.html
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3 Vectors: CreateVectorBucket and CreateIndex answer the ARN, and buckets and indexes have "
    "their time of creation"
)
REPRODUCTION = """\
client = boto3.client("s3vectors", region_name="us-east-1")
answer = client.create_vector_bucket(vectorBucketName="vectors")
assert answer.get("vectorBucketArn", "").endswith(":bucket/vectors"), answer
(found,) = client.list_vector_buckets()["vectorBuckets"]
assert found["creationTime"]
"""


def apply() -> None:
    from moto.core.responses import ActionResult
    from moto.s3vectors.models import Index, S3VectorsBackend, VectorBucket
    from moto.s3vectors.responses import S3VectorsResponse

    for model in (VectorBucket, Index):
        model.__init__ = _timed(model.__init__)  # type: ignore[method-assign]
    create_bucket = S3VectorsResponse.create_vector_bucket
    create_index = S3VectorsResponse.create_index

    def create_vector_bucket(self: Any) -> Any:
        create_bucket(self)
        backend: S3VectorsBackend = self.s3vectors_backend
        name = self._get_param("vectorBucketName")
        bucket = backend.get_vector_bucket(vector_bucket_name=name, vector_bucket_arn=None)
        return ActionResult({"vectorBucketArn": bucket.vector_bucket_arn})

    def _create_index(self: Any) -> Any:
        create_index(self)
        bucket = self.s3vectors_backend.get_vector_bucket(
            vector_bucket_name=self._get_param("vectorBucketName"),
            vector_bucket_arn=self._get_param("vectorBucketArn"),
        )
        name = self._get_param("indexName")
        index = next(one for one in bucket.indexes.values() if one.index_name == name)
        return ActionResult({"indexArn": index.index_arn})

    S3VectorsResponse.create_vector_bucket = create_vector_bucket  # type: ignore[method-assign]
    S3VectorsResponse.create_index = _create_index  # type: ignore[method-assign]


def _timed(create: Callable[..., None]) -> Callable[..., None]:
    def initialise(self: Any, *arguments: Any, **named: Any) -> None:
        create(self, *arguments, **named)
        self.creation_time = datetime.now(UTC)

    return initialise

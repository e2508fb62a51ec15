"""moto's CreateVectorBucket answers nothing; AWS answers the ARN.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_CreateVectorBucket.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3 Vectors: CreateVectorBucket answers the ARN of the new bucket"
REPRODUCTION = """\
client = boto3.client("s3vectors", region_name="us-east-1")
answer = client.create_vector_bucket(vectorBucketName="vectors")
assert answer["vectorBucketArn"].endswith(":bucket/vectors"), answer
"""


def apply() -> None:
    from moto.core.responses import ActionResult
    from moto.s3vectors.responses import S3VectorsResponse

    create_bucket = S3VectorsResponse.create_vector_bucket

    def create_vector_bucket(self: Any) -> Any:
        create_bucket(self)
        bucket = self.s3vectors_backend.get_vector_bucket(
            vector_bucket_name=self._get_param("vectorBucketName"), vector_bucket_arn=None
        )
        return ActionResult({"vectorBucketArn": bucket.vector_bucket_arn})

    S3VectorsResponse.create_vector_bucket = create_vector_bucket  # type: ignore[method-assign]

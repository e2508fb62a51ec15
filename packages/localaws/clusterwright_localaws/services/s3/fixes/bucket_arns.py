"""moto's CreateBucket answers no ARN.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: CreateBucket answers the ARN of the bucket"


def apply() -> None:
    from moto.s3.responses import S3Response

    serialized = S3Response.serialized

    def _serialized(self: Any, action_result: Any) -> Any:
        result = action_result.result
        created = self.data.get("Action") == "CreateBucket" and isinstance(result, dict)
        if runtime().active and created:
            result["BucketArn"] = self.backend.get_bucket(self.bucket_name).arn
        return serialized(self, action_result)

    S3Response.serialized = _serialized  # type: ignore[method-assign]

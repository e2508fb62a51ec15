"""GetObjectRetention, which moto answers with the object.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectRetention.html
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.object_versions import existing_version
from clusterwright_localaws.services.s3.world_buckets import find_bucket


@operation("s3", "GetObjectRetention")
def get_retention(call: Call) -> Mapping[str, Any]:
    bucket = find_bucket(call.parameters["Bucket"])
    if bucket is None:
        raise ForwardToMoto
    if not bucket.object_lock_enabled:
        raise AwsError("InvalidRequest", "Bucket is missing Object Lock Configuration", 400)
    found = existing_version(bucket, call.parameters, "GET")
    if not found.lock_mode:
        text = "The specified object does not have a ObjectLock configuration"
        raise AwsError("NoSuchObjectLockConfiguration", text, 404, Key=found.name)
    until = datetime.fromisoformat(found.lock_until)
    return {"Retention": {"Mode": found.lock_mode, "RetainUntilDate": until}}

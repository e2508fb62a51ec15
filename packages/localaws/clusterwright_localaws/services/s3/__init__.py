"""Amazon S3: directory buckets, bucket policies, quotas and the world's buckets."""

FIXES = (
    "access_logs",
    "directory_buckets",
    "policy_conditions",
    "limits",
    "bucket_defaults",
    "delete_markers",
    "requester_pays",
)

"""Amazon S3: directory buckets, bucket policies, quotas and the world's buckets."""

API = (
    "access_checks",
    "bucket_checks",
    "conditional_writes",
    "metrics_configurations",
    "object_checks",
)
FIXES = (
    "access_logs",
    "directory_buckets",
    "policy_conditions",
    "limits",
    "bucket_defaults",
    "conditional_uploads",
    "delete_markers",
    "requester_pays",
    "self_copies",
    "upload_encryption",
)

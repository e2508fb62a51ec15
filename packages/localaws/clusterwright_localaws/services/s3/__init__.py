"""Amazon S3: directory buckets, bucket policies, quotas and the world's buckets."""

API = ("access_checks", "bucket_checks", "object_checks")
FIXES = (
    "access_logs",
    "directory_buckets",
    "policy_conditions",
    "limits",
    "bucket_defaults",
    "delete_markers",
    "requester_pays",
    "self_copies",
    "upload_encryption",
)

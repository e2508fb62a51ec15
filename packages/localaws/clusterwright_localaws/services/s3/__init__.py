"""Amazon S3: directory buckets, bucket policies, quotas and the world's buckets."""

API = (
    "access_checks",
    "bucket_checks",
    "copy_sources",
    "metrics_configurations",
    "object_checks",
    "object_versions",
    "tags",
)
FIXES = (
    "access_logs",
    "directory_buckets",
    "policy_conditions",
    "limits",
    "bucket_arns",
    "bucket_defaults",
    "checksum_types",
    "checksum_values",
    "concurrent_reads",
    "conditional_uploads",
    "delete_markers",
    "kept_tags",
    "listed_names",
    "missing_uploads",
    "object_posts",
    "range_headers",
    "requester_pays",
    "self_copies",
    "upload_encryption",
    "version_ids",
    "versioned_writes",
)

"""Amazon S3 Vectors."""

FIXES = ("bucket_arns",)

"""Amazon S3 Vectors."""

FIXES = ("creation",)

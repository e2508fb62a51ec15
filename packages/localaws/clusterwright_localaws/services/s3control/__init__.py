"""Amazon S3 Control."""

FIXES = ("alias_length",)

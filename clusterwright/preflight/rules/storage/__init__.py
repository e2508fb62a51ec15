"""FSx file systems, S3 buckets and checkpoints."""

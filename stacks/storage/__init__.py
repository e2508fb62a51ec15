"""File systems, home directories and buckets."""

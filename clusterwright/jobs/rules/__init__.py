"""One rule on job files per module."""

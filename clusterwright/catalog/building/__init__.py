"""Build the data files from `sources/`, the pinned moto package and botocore's models.

Used by `python -m clusterwright.catalog.generate` only.
"""

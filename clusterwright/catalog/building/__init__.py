"""How the data files are made: from `sources/`, the pinned moto package and botocore's models.

Needed by `python -m clusterwright.catalog.generate` only; nothing here runs when the catalogue is
read.
"""

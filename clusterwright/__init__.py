"""Clusterwright: a reviewed file describes an AWS training cluster, tried before it costs."""

__version__ = "0.1.0"

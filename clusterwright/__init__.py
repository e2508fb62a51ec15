"""Clusterwright: one reviewed file describes an AWS training cluster; everything is tried before it costs money."""

__version__ = "0.1.0"

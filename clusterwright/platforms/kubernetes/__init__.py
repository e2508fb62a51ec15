"""Kubernetes configuration that CloudFormation does not support: manifests and chart values.

Data derived from the resolved spec, the catalogue and the ids of a deployment. This package does
not connect to a cluster; `clusterwright render kubernetes` prints the manifests.
"""

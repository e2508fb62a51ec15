"""What Kubernetes is told and CloudFormation does not carry: manifests and charts' values.

Pure data: from the resolved spec, the catalogue and the ids of a deployment. Nothing here talks
to a cluster; `clusterwright render kubernetes` prints it.
"""

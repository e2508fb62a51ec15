"""Credentials of the role for jobs, for every user of the node.

Jobs cannot reach the instance metadata service, which gives out the role of the node. This service
runs as root, assumes the role for jobs with the role of the node, and answers on the loopback
interface in the form that AWS's SDKs expect of a container's credential provider
(AWS_CONTAINER_CREDENTIALS_FULL_URI; AWS SDKs and Tools reference guide, "Container credential
provider"). The port is below 1024, so that no user can answer in its place while it restarts.
"""

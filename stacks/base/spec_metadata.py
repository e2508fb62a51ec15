"""The resolved spec in a template, so that a deployment can be compared with a later file.

It is metadata of one resource, which CloudFormation stores and does not interpret.
"""

from __future__ import annotations

import json

import aws_cdk as cdk

from clusterwright.cluster_spec import LoadedSpec

KEY = "clusterwright:spec"
MAXIMUM_BYTES = 200_000
"""A template has at most 1 MB; a spec with thousands of users' keys is not recorded."""


def record(resource: cdk.CfnResource, loaded: LoadedSpec) -> None:
    """Put the resolved spec, as one line of JSON, into a resource's metadata."""
    text = json.dumps(loaded.resolved(), separators=(",", ":"), sort_keys=True)
    if len(text.encode()) <= MAXIMUM_BYTES:
        resource.add_metadata(KEY, text)

"""Names of AWS's regions, such as "US East (N. Virginia)", from botocore's endpoint data."""

from __future__ import annotations

import functools


@functools.cache
def region_names() -> dict[str, str]:
    """Return the names of regions by region."""
    from botocore.loaders import create_loader

    endpoints = create_loader().load_data("endpoints")
    return {
        region: str(content["description"])
        for partition in endpoints["partitions"]
        if partition["partition"] in ("aws", "aws-cn", "aws-us-gov")
        for region, content in partition["regions"].items()
    }

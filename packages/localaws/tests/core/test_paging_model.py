"""Tokens and lists of operations in the API models."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core.paging_model import Paging, paging_of


@pytest.mark.parametrize(
    ("service", "operation", "expected"),
    [
        # By botocore's paginators.
        (
            "eks",
            "ListClusters",
            Paging("nextToken", "nextToken", ("clusters",), None, "maxResults"),
        ),
        ("iam", "ListRoles", Paging("Marker", "Marker", ("Roles",), "IsTruncated", "MaxItems")),
        ("ec2", "DescribeVpcs", Paging("NextToken", "NextToken", ("Vpcs",), None, "MaxResults")),
        # By the model: one token and one list.
        (
            "eks",
            "ListInsights",
            Paging("nextToken", "nextToken", ("insights",), None, "maxResults"),
        ),
        # Not paginated, or streamed.
        ("eks", "DescribeCluster", None),
        ("sts", "GetCallerIdentity", None),
        ("s3", "ListObjectsV2", None),
    ],
)
def test_where_pages_are(service: str, operation: str, expected: Paging | None) -> None:
    assert paging_of(service, operation) == expected


@pytest.mark.parametrize(("service", "operation"), [("eks", "ListNothing"), ("nothing", "List")])
def test_what_is_not_in_the_models(service: str, operation: str) -> None:
    with pytest.raises(LookupError, match=f"{service} has no operation {operation}"):
        paging_of(service, operation)

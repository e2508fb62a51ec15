"""Regions in which CloudFormation does not know a resource type that clusters need."""

from __future__ import annotations

from typing import Final

SOURCE: Final = "CloudFormation's schemas by region (cfn-lint 1.58.0)"

_ABSENT: Final = {
    "AWS::SageMaker::Cluster": """
        af-south-1 ap-east-1 ap-east-2 ap-northeast-3 ap-southeast-5 ap-southeast-6 ap-southeast-7
        ca-west-1 cn-north-1 cn-northwest-1 eu-central-2 eu-south-1 eu-west-3 il-central-1
        me-central-1 mx-central-1 us-gov-east-1 us-gov-west-1
    """,
    "AWS::SageMaker::ComputeQuota": """
        af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3
        ap-south-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6
        ap-southeast-7 ca-west-1 cn-north-1 cn-northwest-1 eu-central-2 eu-north-1
        eu-south-1 eu-south-2 eu-west-3 il-central-1 me-central-1 mx-central-1
        us-gov-east-1 us-gov-west-1 us-west-1
    """,
    "AWS::S3Express::DirectoryBucket": """
        ap-east-2 ap-south-2 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7
        ca-west-1 cn-northwest-1 eu-central-2 eu-south-1 eu-south-2 il-central-1
        me-central-1 mx-central-1 us-gov-east-1 us-gov-west-1
    """,
    "AWS::APS::Workspace": "cn-north-1 cn-northwest-1",
}
ABSENT: Final = {name: frozenset(regions.split()) for name, regions in _ABSENT.items()}
"""Regions with schemas that lack the type; AWS adds types, so one may be there by now. Of a region
without any schema nothing is known."""

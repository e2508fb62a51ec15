"""Regions with Amazon Managed Grafana."""

from __future__ import annotations

from typing import Final

SOURCE: Final = (
    "botocore 1.44.5, endpoints of grafana; the same regions have CloudFormation's schema of "
    "AWS::Grafana::Workspace (cfn-lint 1.58.0)"
)

_LISTED: Final = """
ap-northeast-1 ap-northeast-2 ap-southeast-1 ap-southeast-2 eu-central-1 eu-west-1 eu-west-2
us-east-1 us-east-2 us-west-2
"""
REGIONS: Final = frozenset(_LISTED.split())
"""Regions that the sources list; AWS adds others, so one that is missing may have it by now."""

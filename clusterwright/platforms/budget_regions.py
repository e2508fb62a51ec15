"""Regions in which CloudFormation knows budgets."""

from __future__ import annotations

from typing import Final

SOURCE: Final = (
    "CloudFormation's schemas of AWS::Budgets::Budget by region (cfn-lint 1.58.0); "
    "aws-cloudformation/cloudformation-coverage-roadmap#2177"
)

_LISTED: Final = """
ap-northeast-1 ap-northeast-2 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 cn-north-1
cn-northwest-1 eu-central-1 eu-isoe-west-1 eu-west-1 eu-west-2 eu-west-3 eusc-de-east-1
sa-east-1 us-east-1 us-east-2 us-iso-east-1 us-iso-west-1 us-isob-east-1 us-isob-west-1
us-isof-east-1 us-isof-south-1 us-west-1 us-west-2
"""
REGIONS: Final = frozenset(_LISTED.split())
"""Regions that the source lists; AWS adds others, so one that is missing may have it by now."""

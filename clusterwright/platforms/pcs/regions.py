"""Regions with an endpoint of AWS PCS."""

from __future__ import annotations

from typing import Final

SOURCE: Final = "AWS General Reference, AWS PCS endpoints (read 2026-11)"

_LISTED: Final = """
af-south-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1
ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-6 eu-central-1 eu-north-1 eu-south-1
eu-south-2 eu-west-1 eu-west-2 eu-west-3 sa-east-1 us-east-1 us-east-2 us-gov-east-1
us-gov-west-1 us-west-2
"""
REGIONS: Final = frozenset(_LISTED.split())
"""Regions that the source lists; AWS adds others, so one that is missing may have PCS by now."""

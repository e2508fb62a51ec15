"""moto's aliases of access points have any length; AWS's model requires 63 characters.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_CreateAccessPoint.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3 Control: the alias of an access point has 63 characters"
REPRODUCTION = """\
boto3.client("s3").create_bucket(Bucket="one")
s3control = boto3.client("s3control")
made = s3control.create_access_point(AccountId="123456789012", Name="point", Bucket="one")
assert len(made["Alias"]) == 63
"""
_LENGTH = 63
_END = "-s3alias"


def apply() -> None:
    from moto.moto_api._internal import mock_random
    from moto.s3control.models import AccessPoint

    initialise = AccessPoint.__init__

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        start = self.name[:20].rstrip("-")
        random = mock_random.get_random_hex(_LENGTH - len(start) - len(_END) - 1)
        self.alias = f"{start}-{random}{_END}"

    AccessPoint.__init__ = __init__  # type: ignore[method-assign]

"""moto answers the first 15 launch templates and versions, without a token for the others.

Pages have at most 200: "This value can be between 1 and 200", the API models say of MaxResults.
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeLaunchTemplateVersions.html
The local AWS cuts what moto answers into pages (`core.truncation`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clusterwright_localaws.core.page_sizes import OTHER_DEFAULTS
from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: all launch templates and versions are listed, in pages of up to 200"
_LISTS: Final = {
    "describe_launch_templates": "DescribeLaunchTemplates",
    "describe_launch_template_versions": "DescribeLaunchTemplateVersions",
}
_ALL: Final = 1_000_000


def apply() -> None:
    from moto.ec2.responses.launch_templates import LaunchTemplates

    for name, operation in _LISTS.items():
        largest = OTHER_DEFAULTS["ec2", operation]
        setattr(LaunchTemplates, name, _complete(getattr(LaunchTemplates, name), largest))


def _complete(in_moto: Callable[[Any], Any], largest: int) -> Callable[[Any], Any]:
    from moto.ec2.exceptions import EC2ClientError

    def describe(self: Any) -> Any:
        if not runtime().active:
            return in_moto(self)
        size = self._get_int_param("MaxResults")
        if size is not None and not 1 <= size <= largest:
            raise EC2ClientError(
                "InvalidParameterValue",
                f"Value ( {size} ) for parameter maxResults is invalid. Expecting a value between "
                f"1 and {largest}.",
            )
        self.params = {**self.params, "MaxResults": _ALL}
        return in_moto(self)

    return describe

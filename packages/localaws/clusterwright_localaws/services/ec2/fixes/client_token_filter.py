"""moto has no filter for the client token of instances.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
"""

from __future__ import annotations

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: DescribeInstances has the filter `client-token`"


def apply() -> None:
    from moto.ec2.utils import filter_dict_attribute_mapping

    filter_dict_attribute_mapping.setdefault("client-token", "client_token")

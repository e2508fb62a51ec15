"""moto fails at a tag without a value, whose value is an empty string.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Tag.html
"""

from __future__ import annotations

import sys
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: a new resource's tag without a value has an empty one"
REPRODUCTION = """\
ec2 = boto3.client("ec2")
tags = [{"ResourceType": "security-group", "Tags": [{"Key": "empty"}]}]
ec2.create_security_group(GroupName="group", Description="g", TagSpecifications=tags)
(found,) = ec2.describe_security_groups(GroupNames=["group"])["SecurityGroups"]
assert found["Tags"] == [{"Key": "empty", "Value": ""}]
"""


def apply() -> None:
    from moto.ec2 import utils

    in_moto = utils.convert_tag_spec

    def convert_tag_spec(tag_spec_set: Any, tag_key: str = "Tags") -> Any:
        complete = [
            {**one, tag_key: [{"Value": "", **tag} for tag in one.get(tag_key) or ()]}
            for one in tag_spec_set
        ]
        return in_moto(complete, tag_key)

    # Modules of moto import it by name.
    for name, module in list(sys.modules.items()):
        if name.startswith("moto.ec2.") and hasattr(module, "convert_tag_spec"):
            setattr(module, "convert_tag_spec", convert_tag_spec)  # noqa: B010  any module

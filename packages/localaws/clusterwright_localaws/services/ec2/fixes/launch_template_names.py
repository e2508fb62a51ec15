"""moto creates launch templates of any name.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html:
InvalidLaunchTemplateName.MalformedException, the code that was also recorded on AWS
(docs/reference/probes.md, source `localstack`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: malformed names of launch templates are refused"
REPRODUCTION = """\
ec2 = boto3.client("ec2")
try:
    data = {"InstanceType": "t3.micro"}
    ec2.create_launch_template(LaunchTemplateName="a name", LaunchTemplateData=data)
except ec2.exceptions.ClientError as refused:
    assert refused.response["Error"]["Code"] == "InvalidLaunchTemplateName.MalformedException"
else:
    raise AssertionError("a launch template has a name with a space")
"""
_NAME: Final = re.compile(r"[a-zA-Z0-9().\-/_]{3,128}")


def apply() -> None:
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models import EC2Backend

    create = EC2Backend.create_launch_template

    def create_launch_template(self: Any, name: str, *arguments: Any, **named: Any) -> Any:
        if runtime().active and not _NAME.fullmatch(name):
            raise EC2ClientError(
                "InvalidLaunchTemplateName.MalformedException",
                "A launch template name must be between 3 and 128 characters, and may contain "
                "letters, numbers, and the following characters: '-', '_', '.', '/', '(', and "
                "')'.",
            )
        return create(self, name, *arguments, **named)

    EC2Backend.create_launch_template = create_launch_template  # type: ignore[method-assign]

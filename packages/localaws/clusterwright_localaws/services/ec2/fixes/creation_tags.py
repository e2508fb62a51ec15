"""moto loses the tags of new DHCP options, and writes those of a launch template into its data."""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: DHCP options have the tags of their creation, and a launch template's own tags are not "
    "part of its data"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
tags = [{"Key": "k", "Value": "v"}]
options = ec2.create_dhcp_options(
    DhcpConfigurations=[{"Key": "domain-name", "Values": ["example.com"]}],
    TagSpecifications=[{"ResourceType": "dhcp-options", "Tags": tags}],
)
assert options["DhcpOptions"]["Tags"] == tags
ec2.create_launch_template(
    LaunchTemplateName="template",
    LaunchTemplateData={"ImageId": "ami-0123456789abcdef0"},
    TagSpecifications=[{"ResourceType": "launch-template", "Tags": tags}],
)
(version,) = ec2.describe_launch_template_versions(LaunchTemplateName="template")[
    "LaunchTemplateVersions"
]
assert version["LaunchTemplateData"] == {"ImageId": "ami-0123456789abcdef0"}
"""


def apply() -> None:
    from moto.ec2.models import EC2Backend
    from moto.ec2.responses.dhcp_options import DHCPOptions

    create_options = DHCPOptions.create_dhcp_options

    def create_dhcp_options(self: Any) -> Any:
        answer = create_options(self)
        tags = self._parse_tag_specification().get("dhcp-options", {})
        answer.result["DhcpOptions"].add_tags(tags)  # type: ignore[index]
        return answer

    DHCPOptions.create_dhcp_options = create_dhcp_options  # type: ignore[method-assign]
    create_template = EC2Backend.create_launch_template

    def create_launch_template(
        self: Any, name: str, description: str, template_data: Any, tag_spec: Any
    ) -> Any:
        specifications = template_data.get("TagSpecifications")
        if specifications is not None:
            # A list of its own: the caller's is not changed.
            kept = [one for one in specifications if one["ResourceType"] != "launch-template"]
            template_data = {**template_data, "TagSpecifications": kept}
            if not kept:
                del template_data["TagSpecifications"]
        return create_template(self, name, description, template_data, tag_spec)

    EC2Backend.create_launch_template = create_launch_template  # type: ignore[method-assign]

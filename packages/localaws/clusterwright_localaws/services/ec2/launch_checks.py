"""What EC2 refuses of launches and launch templates, and moto accepts.

"User data is limited to 16 KB, in raw form, before it is base64-encoded":
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html
"You can't specify a security group and subnet that are in different VPCs":
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html

Texts that users quote: of user data, https://github.com/deckhouse/deckhouse/issues/5949 and
https://github.com/github-aws-runners/terraform-aws-github-runner/issues/3700; of networks,
https://github.com/QT-DevOps/DevOpsIssues/issues/256
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.ec2.image_checks import check_image, check_key_pair
from clusterwright_localaws.services.ec2.interface_checks import check_interfaces
from clusterwright_localaws.services.ec2.reserved import ec2_backend
from clusterwright_localaws.services.ec2.volume_checks import check_mappings

_MOST_BYTES: Final = 16 * 1024
_TOO_LARGE: Final = f"User data is limited to {_MOST_BYTES} bytes"


@operation("ec2", "CreateLaunchTemplate")
def create_launch_template(call: Call) -> Mapping[str, Any]:
    return _create_version(call)


@operation("ec2", "CreateLaunchTemplateVersion")
def create_launch_template_version(call: Call) -> Mapping[str, Any]:
    if not {"LaunchTemplateId", "LaunchTemplateName"} & set(call.parameters):
        raise AwsError(
            "MissingParameter",
            "Specify either the launch template ID or the launch template name.",
        )
    return _create_version(call)


def _create_version(call: Call) -> Mapping[str, Any]:
    if _is_too_large(call.parameters.get("LaunchTemplateData") or {}):
        raise AwsError("InvalidUserData.Malformed", f"{_TOO_LARGE}.")
    raise ForwardToMoto


@operation("ec2", "RunInstances")
def run_instances(call: Call) -> Mapping[str, Any]:
    request, ec2 = call.parameters, ec2_backend(call.account, call.region)
    if _is_too_large(request):
        raise AwsError("InvalidParameterValue", _TOO_LARGE)
    launch = {**_template(ec2, request.get("LaunchTemplate")), **request}
    _check_networks(ec2, launch)
    check_interfaces(launch)
    check_key_pair(ec2, launch)
    check_image(ec2, launch)
    check_mappings(ec2, launch.get("BlockDeviceMappings") or ())
    raise ForwardToMoto


def _is_too_large(data: Mapping[str, Any]) -> bool:
    try:
        raw = base64.b64decode(data.get("UserData") or "")
    except (binascii.Error, ValueError):
        return False
    return len(raw) > _MOST_BYTES


def _template(ec2: Any, named: Mapping[str, str] | None) -> Mapping[str, Any]:
    """Return the data of a request's launch template."""
    if not named:
        return {}
    if "LaunchTemplateId" in named:
        ec2.get_launch_template(named["LaunchTemplateId"])
    else:
        ec2.get_launch_template_by_name(named.get("LaunchTemplateName", ""))
    data: Mapping[str, Any] = ec2._get_template_from_args(named).data
    return data


def _check_networks(ec2: Any, launch: Mapping[str, Any]) -> None:
    for subnet_id, group_ids in _placed(launch):
        subnet: Any = next(
            (found[subnet_id] for found in ec2.subnets.values() if subnet_id in found), None
        )
        for group_id in group_ids if subnet is not None else ():
            group = ec2.get_security_group_from_id(group_id)
            if group is not None and group.vpc_id != subnet.vpc_id:
                raise AwsError(
                    "InvalidParameter",
                    f"Security group {group_id} and subnet {subnet_id} belong to different "
                    "networks.",
                )


def _placed(launch: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Return the subnets that a launch names, each with its security groups."""
    if launch.get("SubnetId"):
        yield launch["SubnetId"], launch.get("SecurityGroupIds") or []
    for interface in launch.get("NetworkInterfaces") or ():
        if interface.get("SubnetId"):
            yield interface["SubnetId"], interface.get("Groups") or []

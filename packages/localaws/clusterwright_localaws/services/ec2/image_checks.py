"""The image and the key pair of a launch.

AWS has more public images than are known here: an image with another id is accepted, and said to
be unknown.

Texts that users quote: https://github.com/hashicorp/terraform/issues/22172 (ids),
https://github.com/skypilot-org/skypilot/issues/6315 (architectures) and
https://github.com/hashicorp/vault-guides/issues/260 (key pairs).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.simplifications import UNKNOWN_IMAGE, note
from clusterwright_localaws.services.ec2.network_checks import check_id

_BY_PARAMETER: Final = "resolve:ssm:"


def check_image(ec2: Any, launch: Mapping[str, Any]) -> None:
    """Check the image of a launch.

    Raises
    ------
    AwsError
        InvalidAMIID.Malformed: the id has not the form of an id. InvalidParameterValue: the
        parameter does not exist, or the image is for another architecture.
    """
    if "ImageId" not in launch:
        return
    image_id = named_image(ec2, str(launch["ImageId"]))
    check_id(image_id, "ami-", "InvalidAMIID.Malformed")
    image = ec2.amis.get(image_id)
    if image is None:
        note(UNKNOWN_IMAGE)
        return
    supported = architectures_of(str(launch.get("InstanceType")))
    if supported and image.architecture and image.architecture not in supported:
        raise AwsError(
            "InvalidParameterValue",
            f"The architecture '{','.join(supported)}' of the specified instance type does not "
            f"match the architecture '{image.architecture}' of the specified AMI. Specify an "
            "instance type and an AMI that have matching architectures, and try again. You can "
            "use 'describe-instance-types' or 'describe-images' to discover the architecture of "
            "the instance type or AMI.",
        )


def architectures_of(instance_type: str) -> list[str]:
    """Return the architectures of a type; none where they are not known."""
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    processor = INSTANCE_TYPES.get(instance_type, {}).get("ProcessorInfo", {})
    return list(processor.get("SupportedArchitectures") or ())


def named_image(ec2: Any, image_id: str) -> str:
    """Return the id of an image that may be named by a parameter (`resolve:ssm:NAME`).

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-systems-manager-parameter-to-find-AMI.html
    """
    from clusterwright_localaws import services

    if not image_id.startswith(_BY_PARAMETER):
        return image_id
    services.prepare("ssm")
    name = image_id.removeprefix(_BY_PARAMETER)
    found = moto_state.backend("ssm", ec2.account_id, ec2.region_name).get_parameter(name)
    if found is None:
        raise AwsError(
            "InvalidParameterValue", f"The parameter '{name}' of the image does not exist."
        )
    return str(found.value)


def check_key_pair(ec2: Any, launch: Mapping[str, Any]) -> None:
    """Check the key pair of a launch.

    Raises
    ------
    AwsError
        InvalidKeyPair.NotFound
    """
    name = launch.get("KeyName")
    if name and name not in ec2.key_pairs:
        raise AwsError("InvalidKeyPair.NotFound", f"The key pair '{name}' does not exist")

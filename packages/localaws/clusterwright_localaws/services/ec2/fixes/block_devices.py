"""moto refuses block device mappings that EC2 accepts.

`VirtualName: ephemeral0` maps a local disk and needs no `Ebs`; `NoDevice` omits a device:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_BlockDeviceMapping.html
A mapping of a device of the image needs no size, since "the default is the snapshot size":
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: RunInstances accepts block device mappings of instance stores (`VirtualName`), which "
    "create no volume, and mappings of the image's root device without a size, which get the size "
    "of the image, both directly and from launch templates"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
mapping = {"DeviceName": "/dev/xvdba", "VirtualName": "ephemeral0"}
ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, BlockDeviceMappings=[mapping])
"""

_INSTANCE_STORE = re.compile(r"ephemeral\d+")
# What moto's `Instance.setup_defaults` creates.
_IMAGE_VOLUME = {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 8, "DeleteOnTermination": True}}


def apply() -> None:
    from moto.ec2.models import EC2Backend
    from moto.ec2.responses.instances import InstanceResponse

    validate = InstanceResponse._validate_block_device_mapping
    parse_in_moto = InstanceResponse._parse_block_device_mapping
    run_in_moto = EC2Backend.run_instances

    def validate_volumes(mapping: dict[str, Any]) -> None:
        if not _is_instance_store(mapping):
            validate(mapping)

    def parse(self: Any) -> Any:
        mappings = self._get_param("BlockDeviceMappings", [])
        _add_size(self.ec2_backend, self._get_param("ImageId"), mappings)
        return parse_in_moto(self)

    def run_instances(self: Any, image_id: str, count: int, *arguments: Any, **named: Any) -> Any:
        mappings = named.get("block_device_mappings")
        if not mappings and named.get("launch_template"):
            template = self._get_template_from_args(named["launch_template"])
            mappings = copy.deepcopy(template.data.get("BlockDeviceMappings"))
            image_id = image_id or template.data.get("ImageId", "")
            if _add_size(self, image_id, mappings or ()):
                named["block_device_mappings"] = mappings
        volumes = [mapping for mapping in mappings or () if _has_volume(mapping)]
        if mappings and len(volumes) < len(mappings):
            # Without further mappings, the instance has the volumes of its image. They are named,
            # because moto would read those of the template otherwise.
            named["block_device_mappings"] = volumes or [_IMAGE_VOLUME]
        return run_in_moto(self, image_id, count, *arguments, **named)

    checked: Any = staticmethod(validate_volumes)
    InstanceResponse._validate_block_device_mapping = checked  # type: ignore[method-assign]
    InstanceResponse._parse_block_device_mapping = parse  # type: ignore[method-assign]
    EC2Backend.run_instances = run_instances  # type: ignore[method-assign]


def _add_size(backend: Any, image_id: str | None, mappings: Sequence[dict[str, Any]]) -> bool:
    """Give volumes without a size that of the image, if it has the device; whether any got it."""
    sizeless = [
        mapping
        for mapping in mappings
        if "Ebs" in mapping and not mapping["Ebs"].keys() & {"VolumeSize", "SnapshotId"}
    ]
    image = backend.amis.get(image_id)
    if not sizeless or image is None:
        return False
    ours = [one for one in sizeless if one.get("DeviceName") == image.root_device_name]
    for mapping in ours:
        mapping["Ebs"]["SnapshotId"] = image.ebs_snapshot.id
    return bool(ours)


def _is_instance_store(mapping: dict[str, Any]) -> bool:
    return "Ebs" not in mapping and bool(
        _INSTANCE_STORE.fullmatch(mapping.get("VirtualName") or "")
    )


def _has_volume(mapping: dict[str, Any]) -> bool:
    # moto's internal form has an empty `Ebs`.
    return any(mapping.get("Ebs", {}).values()) or not (
        mapping.get("VirtualName") or mapping.get("NoDevice") is not None
    )

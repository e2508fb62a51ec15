"""moto refuses block device mappings that EC2 accepts, and creates their volumes without IOPS.

`VirtualName: ephemeral0` maps a local disk and needs no `Ebs`; `NoDevice` omits a device:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_BlockDeviceMapping.html
A mapping of a device of the image needs no size, since "the default is the snapshot size":
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html
"""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Sequence
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: RunInstances accepts block device mappings of instance stores (`VirtualName`), which "
    "create no volume, and mappings of the image's root device without a size, which get the size "
    "of the image, both directly and from launch templates; volumes of launches have the IOPS and "
    "throughput of their mapping, so that io1 and io2 can be launched"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
mapping = {"DeviceName": "/dev/xvdba", "VirtualName": "ephemeral0"}
ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, BlockDeviceMappings=[mapping])
"""

_INSTANCE_STORE = re.compile(r"ephemeral\d+")
_launching = threading.local()
# What moto's `Instance.setup_defaults` creates.
_IMAGE_VOLUME = {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 8, "DeleteOnTermination": True}}


def apply() -> None:
    from moto.ec2.models import EC2Backend
    from moto.ec2.models.instances import Instance
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
        parsed = parse_in_moto(self)
        for mapping, one in zip(mappings, parsed, strict=True):
            one["Ebs"]["Throughput"] = (mapping.get("Ebs") or {}).get("Throughput")
        return parsed

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
        _launching.volumes = {one.get("DeviceName"): one.get("Ebs") for one in volumes}
        try:
            return run_in_moto(self, image_id, count, *arguments, **named)
        finally:
            _launching.volumes = {}

    checked: Any = staticmethod(validate_volumes)
    InstanceResponse._validate_block_device_mapping = checked  # type: ignore[method-assign]
    InstanceResponse._parse_block_device_mapping = parse  # type: ignore[method-assign]
    EC2Backend.run_instances = run_instances  # type: ignore[method-assign]
    Instance.add_block_device = _add_volume  # type: ignore[method-assign]


def _add_volume(
    self: Any,
    size: Any,
    device_path: str,
    snapshot_id: str | None,
    encrypted: bool,
    delete_on_termination: bool,
    kms_key_id: str | None,
    volume_type: str | None,
) -> None:
    """Moto's `Instance.add_block_device`, with the IOPS and throughput of the mapping."""
    mapping = getattr(_launching, "volumes", {}).get(device_path) or {}
    # Without a type, moto would create gp2; the image's may take them.
    performance = ("Iops", "Throughput") if volume_type else ()
    volume = self.ec2_backend.create_volume(
        size=size,
        zone_name=self._placement.zone,
        snapshot_id=snapshot_id,
        encrypted=encrypted,
        kms_key_id=kms_key_id,
        volume_type=volume_type,
        **{name.lower(): int(mapping[name]) for name in performance if mapping.get(name)},
    )
    self.ec2_backend.attach_volume(volume.id, self.id, device_path, delete_on_termination)


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

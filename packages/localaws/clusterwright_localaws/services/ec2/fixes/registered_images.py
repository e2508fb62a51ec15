"""moto ignores what RegisterImage says of an image, and its new images break EC2's model.

`standard`, moto's root device type of registered, created and copied images, is not a value of
the model (`ebs`, `instance-store`). Defaults of RegisterImage:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RegisterImage.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: images of RegisterImage have the architecture, virtualisation type, devices and tags of "
    "the request; they, and images of CreateImage and CopyImage, have a root device type that EC2 "
    "knows"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
image = ec2.register_image(
    Name="mine",
    Architecture="arm64",
    RootDeviceName="/dev/xvda",
    BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30}}],
)["ImageId"]
(found,) = ec2.describe_images(ImageIds=[image])["Images"]
assert found["RootDeviceType"] == "ebs"
assert found["Architecture"] == "arm64"
"""


def apply() -> None:
    from moto.ec2.models import amis
    from moto.ec2.responses.amis import AmisResponse

    copy_in_moto = amis.AmiBackend.copy_image
    create_in_moto = amis.AmiBackend.create_image
    register_in_moto = AmisResponse.register_image
    mappings_in_moto: Any = amis.Ami.block_device_mappings

    def copy_image(self: Any, source_image_id: str, *arguments: Any, **named: Any) -> Any:
        made = copy_in_moto(self, source_image_id, *arguments, **named)
        return _backed_by_a_volume(made)

    def create_image(self: Any, *arguments: Any, **named: Any) -> Any:
        return _backed_by_a_volume(create_in_moto(self, *arguments, **named))

    def register_image(self: Any) -> Any:
        answer: Any = register_in_moto(self)
        _describe(self, self.ec2_backend.amis[answer.result["ImageId"]])
        return answer

    def block_device_mappings(self: Any) -> Any:
        return getattr(self, "registered_mappings", None) or mappings_in_moto.fget(self)

    amis.AmiBackend.copy_image = copy_image  # type: ignore[method-assign]
    amis.AmiBackend.create_image = create_image  # type: ignore[method-assign]
    AmisResponse.register_image = register_image  # type: ignore[method-assign]
    amis.Ami.block_device_mappings = property(block_device_mappings)  # type: ignore[assignment,method-assign]


def _backed_by_a_volume(image: Any) -> Any:
    image.root_device_type = "ebs"
    return image


def _describe(response: Any, image: Any) -> None:
    """Set what a RegisterImage call says of its image."""
    location = response._get_param("ImageLocation")
    image.root_device_type = "instance-store" if location else "ebs"
    image.image_location = location or f"{image.owner_id}/{image.name}"
    image.architecture = response._get_param("Architecture") or "i386"
    image.virtualization_type = response._get_param("VirtualizationType") or "paravirtual"
    image.root_device_name = response._get_param("RootDeviceName") or image.root_device_name
    image.boot_mode = response._get_param("BootMode") or image.boot_mode
    image.registered_mappings = [
        _mapping(image, mapping) for mapping in response._get_param("BlockDeviceMappings", [])
    ]
    for specification in response._get_param("TagSpecifications", []):
        if specification.get("ResourceType") == "image":
            for tag in specification["Tags"]:
                image.add_tag(tag["Key"], tag["Value"])


def _mapping(image: Any, mapping: dict[str, Any]) -> dict[str, Any]:
    """Return a device with the snapshot of the image where the request names none for the root."""
    volume = mapping.get("Ebs")
    if not volume or mapping.get("DeviceName") != image.root_device_name:
        return mapping
    return {**mapping, "Ebs": {"SnapshotId": image.ebs_snapshot.id, **volume}}

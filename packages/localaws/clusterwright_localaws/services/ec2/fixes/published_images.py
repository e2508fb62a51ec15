"""moto lacks the images whose ids are in SSM's public parameters."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.published_images import PublishedImage, published_images

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: DescribeImages and RunInstances accept the images that SSM's public parameters name "
    "(HyperPod, EKS, Deep Learning AMIs, Neuron), with invented ids; DescribeImages leaves out "
    "what the account's Allowed AMIs hide"
)
_CREATED = dt.datetime(2026, 11, 20)  # noqa: DTZ001 (moto's times have no zone)


def apply() -> None:
    from moto.ec2.models import amis

    load = amis.AmiBackend._load_amis

    def load_with_published(self: Any) -> None:
        load(self)
        for image in published_images():
            made = _image(self, amis.Ami, image)
            self.amis[made.id] = made

    amis.AmiBackend._load_amis = load_with_published  # type: ignore[method-assign]
    amis.AmiBackend.describe_images = _allowed_only(  # type: ignore[method-assign]
        amis.AmiBackend.describe_images
    )


def _allowed_only(describe_in_moto: Any) -> Any:
    """Leave out the images that the account's Allowed AMIs hide."""

    def describe_images(self: Any, *arguments: Any, **named: Any) -> Any:
        found = describe_in_moto(self, *arguments, **named)
        if not runtime().active:
            return found
        from clusterwright_localaws.services.ec2 import account_settings

        settings = account_settings.settings_in(runtime(), self.account_id, self.region_name)
        return [one for one in found if _is_allowed(account_settings, settings, one, self)]

    return describe_images


def _is_allowed(module: Any, settings: Any, image: Any, backend: Any) -> bool:
    try:
        module.check_image(settings, image, backend.account_id)
    except AwsError:
        return False
    return True


def _image(backend: Any, kind: Any, image: PublishedImage) -> Any:
    return kind(
        backend,
        image.id_in(backend.region_name),
        name=f"localaws{image.parameter.replace('/', '-')}",
        description=f"Stands for the image that {image.parameter} names",
        owner_id="000000000000",
        owner_alias="amazon",
        public=True,
        virtualization_type="hvm",
        architecture=image.architecture,
        creation_date=_CREATED,
        hypervisor="xen",
        root_device_type="ebs",
        region_name=f"{backend.region_name}a",
    )

"""moto has no images of AWS ParallelCluster, so `pcluster` finds none for any configuration.

The names begin as `pcluster` looks for them (`_get_official_image_name_prefix` in
`pcluster/aws/ec2.py`; systems and architectures: OS_TO_IMAGE_NAME_PART_MAP, PRIVATE_OSES and
SUPPORTED_OSES_FOR_ARCHITECTURE in `pcluster/constants.py`; all of aws-parallelcluster
3.16.1). Ids, owner and the end of the names are invented, since no public source lists them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import Any, Final

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: DescribeImages returns the official images of AWS ParallelCluster 3.16.1, with "
    "invented ids"
)

VERSION: Final = "3.16.1"
SYSTEMS: Final = (
    "amzn2023-hvm",
    "ubuntu-2204-lts-hvm",
    "ubuntu-2404-lts-hvm",
    "rhel8-hvm",
    "rhel9-hvm",
)
ARCHITECTURES: Final = ("x86_64", "arm64")

# The date of the catalogue; the real images' dates are not known.
_CREATED: Final = dt.datetime(2026, 11, 20)  # noqa: DTZ001 (moto's times have no zone)


def apply() -> None:
    from moto.ec2.models import amis

    load = amis.AmiBackend._load_amis

    def load_with_parallelcluster(self: Any) -> None:
        load(self)
        for system in SYSTEMS:
            for architecture in ARCHITECTURES:
                name = f"aws-parallelcluster-{VERSION}-{system}-{architecture}-localaws"
                image = _image(self, amis.Ami, name, architecture)
                self.amis[image.id] = image

    amis.AmiBackend._load_amis = load_with_parallelcluster  # type: ignore[method-assign]


def _image(backend: Any, kind: Any, name: str, architecture: str) -> Any:
    # An image's id differs between regions, and is the same in every run.
    digest = hashlib.sha256(f"{backend.region_name}/{name}".encode()).hexdigest()
    return kind(
        backend,
        f"ami-{digest[:17]}",
        name=name,
        description=f"AWS ParallelCluster {VERSION}",
        owner_id="000000000000",
        owner_alias="amazon",
        public=True,
        virtualization_type="hvm",
        architecture=architecture,
        creation_date=_CREATED,
        hypervisor="xen",
        root_device_type="ebs",
        region_name=f"{backend.region_name}a",
    )

"""moto has few of AWS's public parameters, and lists them where AWS does not."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

from clusterwright_localaws.services.ec2.published_images import published_images

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "SSM: the parameters with the images of HyperPod, EKS, the Deep Learning AMIs and Neuron "
    "(invented ids), and current-region and availability-zones of the global infrastructure; "
    "lists below / and DescribeParameters omit public parameters"
)
PUBLIC = "/aws/service"
_INFRASTRUCTURE = f"{PUBLIC}/global-infrastructure"
# Prefixes of parameters that moto loads itself.
_OF_MOTO = (
    f"{PUBLIC}/ami-amazon-linux-latest",
    f"{_INFRASTRUCTURE}/regions",
    f"{_INFRASTRUCTURE}/services",
    f"{PUBLIC}/ecs/optimized-ami",
)
# The date of the documentation; real parameters have the date of the last release.
_PUBLISHED = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)


def apply() -> None:
    from moto.ssm.models import ParameterDict, SimpleSystemManagerBackend

    load_in_moto = ParameterDict._check_loading_status
    keys_in_moto = ParameterDict.get_keys_beginning_with
    describe_in_moto = SimpleSystemManagerBackend.describe_parameters

    def load(self: Any, key: str) -> None:
        name = str(key or "")
        if name.startswith("/aws") and not self.__dict__.get("_published"):
            self._published = True
            _publish(self)
        load_in_moto(self, key)

    def keys(self: Any, path: str, recursive: bool) -> Iterator[str]:
        # A path above moto's parameters loads all of them: a list may start at any path.
        for prefix in _OF_MOTO:
            if path.startswith("/aws") and prefix.startswith(path.rstrip("/")):
                load_in_moto(self, prefix)
        for name in sorted(keys_in_moto(self, path, recursive)):
            if path.startswith("/aws") or not name.startswith(PUBLIC):
                yield name

    def describe(self: Any, *arguments: Any, **named: Any) -> list[Any]:
        found = describe_in_moto(self, *arguments, **named)
        return [item for item in found if not item.name.startswith(PUBLIC)]

    ParameterDict._check_loading_status = load  # type: ignore[method-assign]
    ParameterDict.get_keys_beginning_with = keys  # type: ignore[method-assign]
    SimpleSystemManagerBackend.describe_parameters = describe  # type: ignore[method-assign]


def _publish(parameters: Any) -> None:
    region = parameters.region_name
    for image in published_images():
        image_id = image.id_in(region)
        _put(parameters, image.parameter, image_id, "aws:ec2:image")
        if image.document is not None:
            # The real document also has the image's name and release, which no source lists.
            text = json.dumps({"schema_version": "1", "image_id": image_id})
            _put(parameters, image.document, text, "text")
    for name, value in _infrastructure(region):
        _put(parameters, name, value, "text")


def _infrastructure(region: str) -> Iterator[tuple[str, str]]:
    """Return moto's data of all regions, under two further names."""
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend
    from moto.ssm.models import convert_to_params, load_resource

    here, current = f"{_INFRASTRUCTURE}/regions/{region}", f"{_INFRASTRUCTURE}/current-region"
    for param in convert_to_params(load_resource("ssm/resources/regions.json")):
        name = param["Name"]
        if name == here or name.startswith(f"{here}/"):
            yield current + name.removeprefix(here), param["Value"]
    for zones in RegionsAndZonesBackend.zones.values():
        for zone in zones:
            if zone.zone_type == "availability-zone":
                yield f"{_INFRASTRUCTURE}/availability-zones/{zone.zone_id}", zone.zone_id


def _put(parameters: Any, name: str, value: str, data_type: str) -> None:
    from moto.ssm import models

    kind: Any = models.Parameter  # mypy treats it as abstract
    dict.setdefault(parameters, name, []).append(
        kind(
            account_id=parameters.account_id,
            name=name,
            value=value,
            parameter_type="String",
            description=None,
            allowed_pattern=None,
            keyid=None,
            last_modified_date=_PUBLISHED,
            version=1,
            data_type=data_type,
        )
    )

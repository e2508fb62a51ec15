"""moto has few of the parameters that AWS publishes, and shows them where AWS does not."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

from clusterwright_localaws.services.ec2.published_images import published_images

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "SSM: the parameters with the images of HyperPod, EKS, the Deep Learning AMIs and Neuron "
    "(ids are made up), and current-region and availability-zones of the global infrastructure; "
    "lists below / and DescribeParameters leave out what AWS publishes"
)
PUBLIC = "/aws/service"
_INFRASTRUCTURE = f"{PUBLIC}/global-infrastructure"
# What moto loads by itself, when a name begins with it.
_OF_MOTO = (
    f"{PUBLIC}/ami-amazon-linux-latest",
    f"{_INFRASTRUCTURE}/regions",
    f"{_INFRASTRUCTURE}/services",
    f"{PUBLIC}/ecs/optimized-ami",
)
# The day of the documentation's copies; the real parameters' is that of the last release.
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
        # A path above moto's own loads all of them: a list begins wherever its caller likes.
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
            # The real document has the image's name and release too, which no source lists.
            text = json.dumps({"schema_version": "1", "image_id": image_id})
            _put(parameters, image.document, text, "text")
    for name, value in _infrastructure(region):
        _put(parameters, name, value, "text")


def _infrastructure(region: str) -> Iterator[tuple[str, str]]:
    """What moto knows of all regions, under the two names by which it does not."""
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

    kind: Any = models.Parameter  # to mypy it is abstract
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

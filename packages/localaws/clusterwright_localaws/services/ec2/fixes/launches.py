"""moto launches instances in any zone, without capacity limits, reservations or placement
groups.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: RunInstances and StartInstances apply the world's `capacity`, the zones that offer "
    "the type, capacity reservations and blocks, and placement groups; between MinCount and "
    "MaxCount, as many start as capacity allows; `resolve:ssm:` names an image by its parameter; "
    "the account's Allowed AMIs and defaults of instance metadata are applied"
)
_asked = threading.local()


def apply() -> None:
    from moto.ec2.models import EC2Backend
    from moto.ec2.responses.instances import InstanceResponse

    InstanceResponse.run_instances = _respond(InstanceResponse.run_instances)  # type: ignore[method-assign]
    EC2Backend.run_instances = _run(EC2Backend.run_instances)  # type: ignore[method-assign]
    EC2Backend.start_instances = _start(EC2Backend.start_instances)  # type: ignore[method-assign]


def _respond(respond_in_moto: Any) -> Any:
    def respond(self: Any) -> Any:
        if not runtime().active:
            return respond_in_moto(self)
        _asked.launch_request = _translated(lambda: _launch_request(self))
        try:
            with runtime().lock:
                return respond_in_moto(self)
        finally:
            _asked.launch_request = None

    return respond


def _run(run_in_moto: Any) -> Any:
    def run_instances(self: Any, image_id: str, count: int, *arguments: Any, **named: Any) -> Any:
        if not runtime().active:
            return run_in_moto(self, image_id, count, *arguments, **named)
        from clusterwright_localaws.services.ec2.launches import LaunchRequest

        launch_request = getattr(_asked, "launch_request", None) or LaunchRequest()
        _asked.launch_request = None
        launch_request.market = launch_request.market or str(
            named.get("instance_market_options") or ""
        )
        zone = _fixed_zone(self, named, launch_request.zone)
        launch = _translated(
            lambda: _launcher(self).plan(launch_request, _type(self, named), count, zone)
        )
        if zone is None and launch.zone != f"{self.region_name}a":
            named["placement"] = launch.zone
        if launch_request.market:
            named["instance_market_options"] = launch_request.market
        named["instances_in_reservations"] = sum(
            1 for reservation in launch.reservations if reservation
        )
        image_id = _translated(lambda: _image(self, image_id, named))
        _translated(lambda: _check_account(self, image_id, named))
        started = run_in_moto(self, image_id, launch.count, *arguments, **named)
        _mark(started.instances, launch, launch_request)
        return started

    return run_instances


def _start(start_in_moto: Any) -> Any:
    def start_instances(self: Any, instance_ids: list[str]) -> Any:
        if runtime().active:
            launcher = _launcher(self)
            for instance in self.get_multi_instances_by_id(instance_ids):
                if instance.state == "stopped":
                    _check_start(launcher, instance)
        return start_in_moto(self, instance_ids)

    return start_instances


def _mark(instances: list[Any], launch: Any, launch_request: Any) -> None:
    from clusterwright_localaws.services.ec2.image_checks import architectures_of
    from clusterwright_localaws.services.ec2.reserved import BLOCK, INTERRUPTIBLE

    for instance, reservation_id in zip(instances, launch.reservations, strict=True):
        instance.capacity_reservation_id = reservation_id
        instance.placement.group_name = launch.group_name
        instance.capacity_reservation_specification = launch_request.specified or {
            "CapacityReservationPreference": "open"
        }
        if instance.image_id not in instance.ec2_backend.amis:
            # moto takes an image that it does not know for one of x86_64.
            supported = architectures_of(instance.instance_type)
            instance.architecture = supported[-1] if supported else instance.architecture
        if launch_request.market in (BLOCK, INTERRUPTIBLE):
            instance.lifecycle = launch_request.market


def _check_start(launcher: Any, instance: Any) -> None:
    _translated(lambda: launcher.check_start(instance))


def _launch_request(response: Any) -> Any:
    from clusterwright_localaws.services.ec2.launches import LaunchRequest

    backend = response.ec2_backend
    named = response._get_param("LaunchTemplate", {})
    template = backend._get_template_from_args(named).data if named else {}
    request = {
        name: response._get_param(name)
        for name in (
            "CapacityReservationSpecification",
            "InstanceMarketOptions",
            "MaxCount",
            "MinCount",
            "Placement",
        )
    }
    launch_request = LaunchRequest.read(request, template)
    kind = response._get_param("InstanceType") or template.get("InstanceType") or "m1.small"
    _launcher(backend).check(launch_request, kind)
    return launch_request


def _launcher(backend: Any) -> Any:
    from clusterwright_localaws.services.ec2.launches import Launcher

    return Launcher(runtime(), backend.account_id, backend.region_name)


def _type(backend: Any, named: dict[str, Any]) -> str:
    template = named.get("launch_template")
    if template and named.get("is_instance_type_default"):
        kind = backend._get_template_from_args(template).data.get("InstanceType")
        if kind:
            return str(kind)
    return str(named.get("instance_type") or "m1.small")


def _image(backend: Any, image_id: str, named: dict[str, Any]) -> str:
    from clusterwright_localaws.services.ec2.image_checks import named_image

    template = named.get("launch_template")
    if not image_id and template:
        image_id = backend._get_template_from_args(template).data.get("ImageId") or ""
    return named_image(backend, str(image_id or ""))


def _check_account(backend: Any, image_id: str, named: dict[str, Any]) -> None:
    """Refuse what the account's own settings do not allow."""
    from clusterwright_localaws.services.ec2 import account_settings

    settings = account_settings.settings_in(runtime(), backend.account_id, backend.region_name)
    template = named.get("launch_template")
    data = backend._get_template_from_args(template).data if template else {}
    image = backend.amis.get(image_id or data.get("ImageId"))
    if image is not None:
        account_settings.check_image(settings, image, backend.account_id)
    options = {**(data.get("MetadataOptions") or {}), **(named.get("metadata_options") or {})}
    tags = dict((named.get("tags") or {}).get("instance") or {})
    for one in data.get("TagSpecifications") or ():
        if one.get("ResourceType") == "instance":
            tags.update({tag["Key"]: tag["Value"] for tag in one.get("Tags") or ()})
    account_settings.check_metadata(settings, options, tags)


def _fixed_zone(backend: Any, named: dict[str, Any], requested: str) -> str | None:
    from clusterwright_localaws.services.ec2.zones import zone_name

    subnet_id = named.get("subnet_id") or next(
        (nic["SubnetId"] for nic in named.get("nics") or () if "SubnetId" in nic), None
    )
    if subnet_id:
        return str(backend.get_subnet(subnet_id).availability_zone)
    placement = named.get("placement")
    if placement:
        return str(placement)
    if requested:  # by its id, which moto does not read
        found = zone_name(backend.region_name, requested)
        named["placement"] = found or requested
        return str(found or requested)
    return None


def _translated(ask: Callable[[], Any]) -> Any:
    from moto.ec2.exceptions import EC2ClientError

    try:
        return ask()
    except AwsError as error:
        raise EC2ClientError(error.code, error.message) from error

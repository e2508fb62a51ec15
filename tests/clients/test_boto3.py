"""All of boto3's paginators and waiters for implemented operations."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ClientError, WaiterError

from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import (
    CostSeed,
    Delays,
    Fault,
    Runtime,
    SpotPriceSeed,
    own_operations,
)
from packages.localaws.tests.parts import Site, build_site, client
from tests.clients import paginated, waited
from tests.clients.programs import Server

pytestmark = pytest.mark.enable_socket
_LOADER = botocore.session.get_session().get_component("data_loader")


@functools.cache
def _models(kind: str, key: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """botocore's models of one kind, for the implemented services."""
    found = {}
    for service in own_operations():
        if service in _LOADER.list_available_services(kind):
            models = _LOADER.load_service_model(service, kind)[key]
            found.update({(service, name): model for name, model in models.items()})
    return found


def _paginators() -> list[tuple[str, str]]:
    own = own_operations()
    every = _models("paginators-1", "pagination")
    return sorted((service, name) for service, name in every if name in own[service])


def _waiters() -> list[tuple[str, str]]:
    own = own_operations()
    every = _models("waiters-2", "waiters")
    return sorted(
        (service, name)
        for (service, name), model in every.items()
        if model["operation"] in own[service]
    )


@pytest.fixture(scope="module")
def inside() -> Iterator[Runtime]:
    # The price of a zone is valid until the next one.
    prices = [
        SpotPriceSeed(instance_type="p5.48xlarge", zone_id="use1-az6", usd=number)
        for number in (1, 2)
    ]
    tags = {"project": "pages", "team": "training", "cost-centre": "4711"}
    spent = [CostSeed(service="Amazon FSx", usd_per_day=1, tags=tags)]
    allow = {
        "Version": "2012-10-17",
        "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"},
    }
    organization = {
        "service_control_policies": [[allow, allow], [allow]],
        "members_read_policies": True,
    }
    with local_aws(
        spot_prices=prices,
        costs=spent,
        organization=organization,
        extension_versions=paginated.EXTENSIONS,
    ) as runtime:
        yield runtime


@pytest.fixture(scope="module")
def site(inside: Runtime) -> Site:
    return build_site()


@pytest.fixture
def scenes(inside: Runtime, site: Site) -> Iterator[paginated.Scenes]:
    inside.set_faults([])
    yield paginated.scenes(site)
    inside.set_faults([])


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        # Offerings have new ids in each answer.
        value = {key: one for key, one in value.items() if not key.endswith("OfferingId")}
    return json.dumps(value, default=str, sort_keys=True)


def _pages(service: str, name: str, asked: Mapping[str, Any], **paging: int) -> list[list[Any]]:
    found = _models("paginators-1", "pagination")[service, name]["result_key"]
    result_key = str(found[0] if isinstance(found, list) else found)
    method = botocore.xform_name(name)
    paginator = client(service).get_paginator(method)
    return [
        list(page.get(result_key, ()))
        for page in paginator.paginate(**asked, PaginationConfig=paging)
    ]


def test_every_paginator_has_test_data() -> None:
    """Every paginator of botocore for an implemented operation is tested."""
    assert set(_paginators()) <= paginated.KNOWN.keys()


@pytest.mark.parametrize(("service", "name"), _paginators(), ids=lambda part: str(part))
def test_pages_contain_the_complete_list(
    service: str,
    name: str,
    inside: Runtime,
    scenes: paginated.Scenes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The pages of every paginator contain the whole list, in order and without duplicates, with a
    page size where the API has one, and with short pages.
    """
    asked = scenes[service, name]
    # Offerings start at the time of the request: the clock is stopped from here.
    moment = inside.clock.now()
    monkeypatch.setattr(inside.clock, "now", lambda: moment)
    whole = [_plain(item) for page in _pages(service, name, asked) for item in page]
    assert len(whole) >= (1 if (service, name) in paginated.ONE else 2), "one has no pages"

    if service != "s3":  # whose answers are not rewritten, so no fault cuts its lists
        inside.set_faults([Fault(service=service, operation=name, truncate=1)])
        short = _pages(service, name, asked)
        assert all(len(page) <= 1 for page in short)
        assert [_plain(item) for page in short for item in page] == whole
        inside.set_faults([])

    limit = _models("paginators-1", "pagination")[service, name].get("limit_key")
    if limit:
        shape = client(service).meta.service_model.operation_model(name).input_shape
        size = max(2, int(shape.members[limit].metadata.get("min", 1)))
        sized = _pages(service, name, asked, PageSize=size)
        assert all(len(page) <= size for page in sized)
        assert [_plain(item) for page in sized for item in page] == whole


def test_token_of_another_list_is_refused(inside: Runtime, scenes: paginated.Scenes) -> None:
    """A token that another operation issued is refused."""
    inside.set_faults([Fault(service="sagemaker", operation="ListClusters", truncate=1)])
    token = client("sagemaker").list_clusters()["NextToken"]
    with pytest.raises(ClientError, match="ValidationException"):
        client("sagemaker").list_training_plans(NextToken=token)


@pytest.fixture(scope="module")
def place(world: Callable[[str], Server]) -> waited.Place:
    """A served local AWS with delays."""
    seconds = dict.fromkeys(Delays.model_fields, waited.SECONDS)
    seconds["workspace"] = waited.WORKSPACE_SECONDS
    delays = ", ".join(f"{name}: {number}" for name, number in seconds.items())
    return waited.place_in(world(f"extends: generous\ndelays: {{{delays}}}\n"))


def _wait(place: waited.Place, service: str, name: str, asked: Mapping[str, Any]) -> int:
    """Wait for the end; return the number of calls."""
    api = place.client(service)
    times: list[int] = []
    operation = _models("waiters-2", "waiters")[service, name]["operation"]
    event = f"before-call.{api.meta.service_model.service_id.hyphenize()}.{operation}"
    api.meta.events.register(event, lambda **_: times.append(1), "count")
    try:
        api.get_waiter(botocore.xform_name(name)).wait(
            **asked, WaiterConfig={"Delay": 0.1, "MaxAttempts": 300}
        )
    finally:
        api.meta.events.unregister(event, unique_id="count")
    return len(times)


def test_every_waiter_is_tested() -> None:
    """Every waiter of botocore for an implemented operation is tested."""
    assert set(_waiters()) <= waited.KNOWN.keys()


@pytest.mark.parametrize(
    ("service", "name"),
    [waiter for waiter in _waiters() if waiter in waited.KNOWN and waited.KNOWN[waiter].reaches],
    ids=lambda part: str(part),
)
def test_waiters_poll_until_completion(service: str, name: str, place: waited.Place) -> None:
    """Every waiter polls while operations run in a world with delays, and ends when they are
    complete.
    """
    begin = waited.KNOWN[service, name].reaches
    assert begin is not None
    start = time.monotonic()
    asked = begin(place)
    times = _wait(place, service, name, asked)
    assert times >= (1 if (service, name) in waited.AT_ONCE else 2)
    if name != "ChangeSetCreateComplete":
        assert time.monotonic() - start >= waited.SECONDS


@pytest.mark.parametrize(
    ("service", "name"),
    [waiter for waiter in _waiters() if waiter in waited.KNOWN and waited.KNOWN[waiter].fails],
    ids=lambda part: str(part),
)
def test_waiters_end_on_failure_states(service: str, name: str, place: waited.Place) -> None:
    """Every waiter with a failure state that a caller can cause ends with it."""
    begin = waited.KNOWN[service, name].fails
    assert begin is not None
    asked = begin(place)
    with pytest.raises(WaiterError, match="terminal failure"):
        _wait(place, service, name, asked)

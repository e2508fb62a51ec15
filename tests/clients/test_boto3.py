"""boto3's paginators and waiters, all of them that have an operation of ours."""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ClientError, WaiterError

from clusterwright.localaws import local_aws
from clusterwright.localaws.faults import FaultBook
from clusterwright.localaws.reference import own_operations
from clusterwright.localaws.runtime import Runtime
from clusterwright.localaws.world import Fault, SpotPriceSeed
from tests.clients import paginated
from tests.localaws.parts import Site, build_site, client

_LOADER = botocore.session.get_session().get_component("data_loader")


@functools.cache
def _models(kind: str, key: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """botocore's models of one kind, of the services that have operations of our own."""
    found = {}
    for service in own_operations():
        if kind in _LOADER.list_available_services(kind) or service in (
            _LOADER.list_available_services(kind)
        ):
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
    # The price of a zone stays until the next one.
    prices = [
        SpotPriceSeed(instance_type="p5.48xlarge", zone_id="use1-az6", usd=number)
        for number in (1, 2)
    ]
    with local_aws(spot_prices=prices) as runtime:
        yield runtime


@pytest.fixture(scope="module")
def site(inside: Runtime) -> Site:
    return build_site()


@pytest.fixture
def scenes(inside: Runtime, site: Site) -> Iterator[paginated.Scenes]:
    inside.faults = FaultBook([])
    yield paginated.scenes(site)
    inside.faults = FaultBook([])


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        # What is offered has another id each time that somebody asks.
        value = {key: one for key, one in value.items() if not key.endswith("OfferingId")}
    return json.dumps(value, default=str, sort_keys=True)


def _pages(service: str, name: str, asked: Mapping[str, Any], **paging: int) -> list[list[Any]]:
    result_key = str(_models("paginators-1", "pagination")[service, name]["result_key"])
    method = botocore.xform_name(name)
    paginator = client(service).get_paginator(method)
    return [
        list(page.get(result_key, ())) for page in paginator.paginate(**asked, PaginationConfig=paging)
    ]


def test_every_paginator_has_a_scene() -> None:
    """Every paginator of botocore that has an operation of ours is tried."""
    assert set(_paginators()) <= paginated.KNOWN.keys()


@pytest.mark.parametrize(("service", "name"), _paginators(), ids=lambda part: str(part))
def test_all_pages_are_the_whole(
    service: str,
    name: str,
    inside: Runtime,
    scenes: paginated.Scenes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every paginator's pages together are the whole list, in order, none twice: with a page size
    where the API has one, and where AWS chooses to send short pages.
    """
    asked = scenes[service, name]
    # What is offered begins at the time of asking: it stands still from here.
    moment = inside.clock.now()
    monkeypatch.setattr(inside.clock, "now", lambda: moment)
    whole = [_plain(one) for page in _pages(service, name, asked) for one in page]
    assert len(whole) >= (1 if (service, name) in paginated.ONE else 2), "one has no pages"

    inside.faults = FaultBook([Fault(service=service, operation=name, truncate=1)])
    short = _pages(service, name, asked)
    assert all(len(page) <= 1 for page in short)
    assert [_plain(one) for page in short for one in page] == whole
    inside.faults = FaultBook([])

    limit = _models("paginators-1", "pagination")[service, name].get("limit_key")
    if limit:
        shape = client(service).meta.service_model.operation_model(name).input_shape
        size = max(2, int(shape.members[limit].metadata.get("min", 1)))
        sized = _pages(service, name, asked, PageSize=size)
        assert all(len(page) <= size for page in sized)
        assert [_plain(one) for page in sized for one in page] == whole


def test_a_token_of_another_list_is_refused(inside: Runtime, scenes: paginated.Scenes) -> None:
    """A token that another operation issued is refused."""
    inside.faults = FaultBook([Fault(service="sagemaker", operation="ListClusters", truncate=1)])
    token = client("sagemaker").list_clusters()["NextToken"]
    with pytest.raises(ClientError, match="ValidationException"):
        client("sagemaker").list_training_plans(NextToken=token)

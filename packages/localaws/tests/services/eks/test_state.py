"""State of EKS: clusters, updates and refusals."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.eks import state
from clusterwright_localaws.services.eks.state import EksCluster, Store
from clusterwright_localaws.worlds.model import World

ACCOUNT = "111122223333"
NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def runtime() -> Runtime:
    return Runtime(World())


def call(runtime: Runtime, operation: str = "DescribeCluster", **parameters: Any) -> Call:
    return Call("eks", operation, ACCOUNT, "us-east-1", runtime, parameters)


def cluster(runtime: Runtime, name: str = "c", status: str = "ACTIVE") -> EksCluster:
    members = {"accessConfig": {"authenticationMode": "API"}}
    found = EksCluster(
        name, ACCOUNT, "us-east-1", NOW, "1.33", members, "vpc-1", "sg-1", status=status
    )
    state.store_in(runtime, ACCOUNT, "us-east-1").clusters[name] = found
    return found


def test_arns(runtime: Runtime) -> None:
    found = cluster(runtime)
    assert found.arn == f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/c"
    assert found.arn_of("nodegroup", "c", "n", "1").endswith(":nodegroup/c/n/1")
    assert found.authentication_mode == "API"


@pytest.mark.parametrize("parameter", ["name", "clusterName"])
def test_a_cluster_is_found_by_either_parameter(runtime: Runtime, parameter: str) -> None:
    found = cluster(runtime)
    assert state.cluster_of(call(runtime, **{parameter: "c"})) is found
    assert state.cluster_of(call(runtime, **{parameter: "other"}), "c") is found
    with pytest.raises(AwsError, match="No cluster found for name: other") as caught:
        state.cluster_of(call(runtime, **{parameter: "other"}))
    assert (caught.value.code, caught.value.status) == ("ResourceNotFoundException", 404)


@pytest.mark.parametrize(
    ("status", "accepted"),
    [("ACTIVE", True), ("UPDATING", True), ("CREATING", False), ("DELETING", False)],
)
def test_resources_are_added_to_active_clusters(
    runtime: Runtime, status: str, accepted: bool
) -> None:
    found = cluster(runtime, status=status)
    if accepted:
        assert state.active(found) is found
        return
    with pytest.raises(AwsError, match=f"its status is {status}") as caught:
        state.active(found)
    assert caught.value.code == "InvalidRequestException"


def test_an_update_is_stored_with_its_parameters_as_text(runtime: Runtime) -> None:
    found = cluster(runtime)
    store = Store(runtime, ACCOUNT, "us-east-1")
    parameters = {"Version": "1.34", "Labels": {"a": 1}}
    update = state.begin(store, found, "VersionUpdate", parameters, NOW, nodegroup="n")
    assert found.updates == {update.id: update}
    assert update.nodegroup == "n"
    assert update.view() == {
        "id": update.id,
        "status": "InProgress",
        "type": "VersionUpdate",
        "params": [
            {"type": "Version", "value": "1.34"},
            {"type": "Labels", "value": '{"a": 1}'},
        ],
        "createdAt": NOW,
        "errors": [],
    }


@pytest.mark.parametrize(
    ("make", "code", "status"),
    [
        (state.invalid, "InvalidParameterException", 400),
        (state.bad_request, "InvalidRequestException", 400),
        (state.in_use, "ResourceInUseException", 409),
        (state.not_found, "ResourceNotFoundException", 404),
        (state.over_limit, "ResourceLimitExceededException", 400),
    ],
)
def test_refusals(make: Any, code: str, status: int) -> None:
    error = make("why")
    assert (error.code, error.message, error.status) == (code, "why", status)

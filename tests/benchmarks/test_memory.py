"""Memory while resources are created and deleted: samples of a server that works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from benchmarks import memory
from benchmarks.local_aws import Server
from benchmarks.local_calls import OTHER_ACCOUNT, client_at


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.end()


@pytest.mark.enable_socket
def test_each_sample_is_taken_with_nothing_left(server: Server) -> None:
    (only,) = memory.samples(server, 0.0)
    assert only.rounds == 1
    found = list(memory.samples(server, 2.0))
    assert [one.rounds for one in found] == sorted({one.rounds for one in found})
    assert found[0].seconds < 2.0 <= found[-1].seconds
    assert all(50 < one.resident_mib < 2000 for one in (only, *found))
    sagemaker, s3 = (client_at(server.url, name, OTHER_ACCOUNT) for name in ("sagemaker", "s3"))
    assert sagemaker.list_clusters()["ClusterSummaries"] == []
    assert s3.list_buckets()["Buckets"] == []


@pytest.mark.enable_socket
def test_a_refused_call_ends_the_measurement(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_TEMPLATE", "{}")
    with pytest.raises(ClientError, match="CreateStack"):
        next(memory.samples(server, 1.0))

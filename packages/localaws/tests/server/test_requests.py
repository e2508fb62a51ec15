"""Tests of server.requests."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.server import requests
from packages.localaws.tests.http_requests import request
from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_large_requests_that_boto3_compresses() -> None:
    """`request_min_compression_size_bytes` is 10,240 by default."""
    cloudwatch = client("cloudwatch")
    sent: list[Any] = []
    name = "before-send.cloudwatch.PutMetricData"
    cloudwatch.meta.events.register_first(name, lambda request, **_: sent.append(request.headers))
    dimensions = [{"Name": "d", "Value": "x" * 200}]
    cloudwatch.put_metric_data(
        Namespace="N",
        MetricData=[
            {"MetricName": f"m{number}", "Value": 1.0, "Dimensions": dimensions}
            for number in range(100)
        ],
    )
    assert sent[0]["Content-Encoding"] in ("gzip", b"gzip")
    assert len(cloudwatch.list_metrics(Namespace="N")["Metrics"]) == 100


@pytest.mark.parametrize(
    "body",
    [b"", b"plain", gzip.compress(b"x" * 100)[:-9], gzip.compress(b"x") + b"more"],
    ids=["empty", "plain", "cut", "longer"],
)
def test_what_is_not_gzip_is_refused(body: bytes) -> None:
    with pytest.raises(AwsError, match="is not gzip") as caught:
        requests.uncompressed(request(body=body, Content_Encoding="gzip"))
    assert caught.value.code == "SerializationException"


@pytest.mark.parametrize("name", ["gzip", "GZIP", " x-gzip"])
def test_gzip_of_several_members(name: str) -> None:
    body = gzip.compress(b"some ") + gzip.compress(b"") + gzip.compress(b"text")
    found = requests.uncompressed(request(body=body, Content_Encoding=name))
    assert found.get_data() == b"some text"
    assert "Content-Encoding" not in found.headers


def test_decompression_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MAX_BYTES", 1000)
    for compressed in (gzip.compress(b"x" * 1001), gzip.compress(b"x" * 501) * 2):
        with pytest.raises(AwsError, match="at most 1000 bytes") as caught:
            requests.uncompressed(request(body=compressed, Content_Encoding="gzip"))
        assert caught.value.status == 413
    whole = request(body=gzip.compress(b"x" * 1000), Content_Encoding="gzip")
    assert requests.uncompressed(whole).get_data() == b"x" * 1000


@pytest.mark.usefixtures("aws")
def test_objects_of_s3_stay_as_they_are() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    body = gzip.compress(b"x")
    for kind in ("text/plain", "application/cbor"):
        s3.put_object(Bucket="one", Key="k", Body=body, ContentEncoding="gzip", ContentType=kind)
        assert s3.get_object(Bucket="one", Key="k")["Body"].read() == body

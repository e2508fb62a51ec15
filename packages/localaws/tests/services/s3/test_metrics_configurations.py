"""Tests of services.s3.metrics_configurations."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

PAGE = 100


@pytest.mark.usefixtures("aws")
def test_a_configuration_is_kept_until_it_is_deleted() -> None:
    s3 = client("s3")
    one = {"Bucket": "one", "Id": "all"}
    assert refusal(s3.get_bucket_metrics_configuration, **one)[0] == "NoSuchBucket"
    s3.create_bucket(Bucket="one")
    assert refusal(s3.get_bucket_metrics_configuration, **one)[0] == "NoSuchConfiguration"
    for prefix in ("a/", "b/"):
        wanted = {"Id": "all", "Filter": {"Prefix": prefix}}
        s3.put_bucket_metrics_configuration(**one, MetricsConfiguration=wanted)
        assert s3.get_bucket_metrics_configuration(**one)["MetricsConfiguration"] == wanted
    s3.delete_bucket_metrics_configuration(**one)
    assert refusal(s3.delete_bucket_metrics_configuration, **one)[0] == "NoSuchConfiguration"


@pytest.mark.usefixtures("aws")
def test_lists_have_pages() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    names = [f"n{number:03}" for number in range(PAGE + 2)]
    for name in names:
        s3.put_bucket_metrics_configuration(
            Bucket="one", Id=name, MetricsConfiguration={"Id": name}
        )
    first = s3.list_bucket_metrics_configurations(Bucket="one")
    assert (first["IsTruncated"], len(first["MetricsConfigurationList"])) == (True, PAGE)
    token = first["NextContinuationToken"]
    second = s3.list_bucket_metrics_configurations(Bucket="one", ContinuationToken=token)
    assert [one["Id"] for one in second["MetricsConfigurationList"]] == names[PAGE:]
    assert (second["IsTruncated"], second["ContinuationToken"]) == (False, token)
    wrong = {"Bucket": "one", "ContinuationToken": "none"}
    assert refusal(s3.list_bucket_metrics_configurations, **wrong)[0] == "InvalidArgument"

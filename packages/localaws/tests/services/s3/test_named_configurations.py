"""Tests of services.s3.named_configurations."""

from __future__ import annotations

from typing import Any

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


DESTINATION = {"Bucket": "arn:aws:s3:::one", "Format": "CSV"}
KINDS: dict[str, dict[str, Any]] = {
    "analytics": {
        "StorageClassAnalysis": {
            "DataExport": {
                "OutputSchemaVersion": "V_1",
                "Destination": {"S3BucketDestination": DESTINATION},
            }
        }
    },
    "intelligent_tiering": {
        "Status": "Enabled",
        "Tierings": [{"Days": 90, "AccessTier": "ARCHIVE_ACCESS"}],
    },
    "inventory": {
        "Destination": {"S3BucketDestination": DESTINATION},
        "IsEnabled": True,
        "IncludedObjectVersions": "All",
        "Schedule": {"Frequency": "Daily"},
    },
}


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds(kind: str) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    member = "".join(part.title() for part in kind.split("_")) + "Configuration"

    def call(verb: str, **more: Any) -> Any:
        return getattr(s3, f"{verb}_bucket_{kind}_configuration")(Bucket="one", **more)

    for name in ("b", "a"):
        wanted = {"Id": name, **KINDS[kind]}
        put = call("put", Id=name, **{member: wanted})
        assert put["ResponseMetadata"]["HTTPStatusCode"] == 204
        assert call("get", Id=name)[member] == wanted
    listed = getattr(s3, f"list_bucket_{kind}_configurations")(Bucket="one")
    assert [one["Id"] for one in listed[f"{member}List"]] == ["a", "b"]
    code = refusal(lambda: call("put", Id="other", **{member: wanted}))[0]
    assert code == ("IdMismatch" if kind == "inventory" else "MalformedXML")
    assert call("delete", Id="a")["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert refusal(lambda: call("get", Id="a"))[0] == "NoSuchConfiguration"

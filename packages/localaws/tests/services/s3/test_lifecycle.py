"""Tests of services.s3.lifecycle and services.s3.lifecycle_times."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
_DAY = datetime(2027, 1, 1, tzinfo=UTC)


def lifecycle(*rules: dict[str, Any]) -> Any:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    full = [{"Status": "Enabled", "Filter": {"Prefix": ""}, **rule} for rule in rules]

    def put() -> Any:
        return s3.put_bucket_lifecycle_configuration(
            Bucket="one", LifecycleConfiguration={"Rules": full}
        )

    return put


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"Expiration": {"Days": -1}}, "'Days' for Expiration action must be a positive integer"),
        ({"Expiration": {"Days": 0}}, "'Days' for Expiration action must be a positive integer"),
        (
            {"NoncurrentVersionExpiration": {"NoncurrentDays": 0}},
            "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
        ),
        (
            {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 0}},
            "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive "
            "integer",
        ),
        (
            {"Transitions": [{"Days": 29, "StorageClass": "STANDARD_IA"}]},
            "'Days' in Transition action must be greater than or equal to 30 for storageClass "
            "'STANDARD_IA'",
        ),
        (
            {"Transitions": [{"Days": -1, "StorageClass": "GLACIER"}]},
            "'Days' in Transition action must be nonnegative",
        ),
        ({"ID": "a" * 256}, "ID length should not exceed allowed limit of 255"),
    ],
)
def test_lifecycle_rules_that_are_refused(rule: dict[str, Any], message: str) -> None:
    given = {"Expiration": {"Days": 1}, **rule} if "ID" in rule else rule
    assert refusal(lifecycle(given)) == ("InvalidArgument", message)


def test_lifecycle_rules_have_different_ids() -> None:
    rule = {"ID": "a", "Expiration": {"Days": 1}}
    code, message = refusal(lifecycle(rule, rule))
    assert code == "InvalidArgument"
    assert message == "Rule ID must be unique. Found same ID for more than one rule: a"


def test_lifecycle_rules_that_are_taken() -> None:
    lifecycle(
        {"ID": "a", "Expiration": {"Days": 1}},
        {"ID": "b", "Transitions": [{"Days": 0, "StorageClass": "GLACIER"}]},
        {"ID": "c", "Transitions": [{"Days": 30, "StorageClass": "STANDARD_IA"}]},
    )()
    found = client("s3").get_bucket_lifecycle_configuration(Bucket="one")["Rules"]
    assert [rule["ID"] for rule in found] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"NoncurrentVersionExpiration": {}}, "MalformedXML"),
        ({"Filter": {"Prefix": "", "ObjectSizeGreaterThan": 500}}, "MalformedXML"),
        ({"Expiration": {"Days": 1, "ExpiredObjectDeleteMarker": True}}, "MalformedXML"),
        ({"Expiration": {"Date": datetime(2023, 1, 1, 2, 2, tzinfo=UTC)}}, "InvalidArgument"),
        ({"Filter": {"And": {"Tags": [{"Key": "a", "Value": "b"}] * 2}}}, "InvalidRequest"),
    ],
)
def test_lifecycle_rules_without_sense(rule: dict[str, Any], code: str) -> None:
    assert refusal(lifecycle({"Expiration": {"Days": 1}, **rule}))[0] == code


def test_lifecycle_without_a_body_is_refused() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    assert refusal(s3.put_bucket_lifecycle_configuration, Bucket="one") == (
        "MissingRequestBodyError",
        "Request Body is empty",
    )


def test_rules_are_answered_as_they_were_put() -> None:
    given = {"ObjectSizeGreaterThan": 20}
    done = lifecycle({"ID": "one", "Expiration": {"Days": 1}, "Filter": given})()
    assert done["TransitionDefaultMinimumObjectSize"] == "all_storage_classes_128K"
    found = client("s3").get_bucket_lifecycle_configuration(Bucket="one")
    assert [rule["Filter"] for rule in found["Rules"]] == [given]
    assert found["TransitionDefaultMinimumObjectSize"] == "all_storage_classes_128K"


def _classes(*days: int, member: str = "Days") -> list[dict[str, Any]]:
    named = ("GLACIER_IR", "GLACIER", "DEEP_ARCHIVE")
    return [{member: number, "StorageClass": named[at]} for at, number in enumerate(days)]


@pytest.mark.parametrize(
    ("rule", "code", "message"),
    [
        ({}, "InvalidRequest", "At least one action needs to be specified in a rule"),
        (
            {"Expiration": {"Days": 30}, "Transitions": _classes(1, 30)},
            "InvalidArgument",
            "'Days' in the Expiration action for filter '(prefix=)' must be greater than 'Days' "
            "in the Transition action",
        ),
        (
            {
                "Filter": {"Prefix": "a/"},
                "Expiration": {"Date": _DAY},
                "Transitions": [{"Date": _DAY, "StorageClass": "GLACIER"}],
            },
            "InvalidArgument",
            "'Date' in the Expiration action for filter '(prefix=a/)' must be greater than 'Date' "
            "in the Transition action",
        ),
        (
            {
                "NoncurrentVersionExpiration": {"NoncurrentDays": 5},
                "NoncurrentVersionTransitions": _classes(5, member="NoncurrentDays"),
            },
            "InvalidArgument",
            "'NoncurrentDays' in the NoncurrentVersionExpiration action for filter '(prefix=)' "
            "must be greater than 'NoncurrentDays' in the NoncurrentVersionTransition action",
        ),
        (
            {"Transitions": _classes(1) * 2},
            "InvalidRequest",
            "'StorageClass' must be different for 'Transition' actions in same 'Rule' with filter "
            "'(prefix=)'",
        ),
        (
            {"Expiration": {"Date": _DAY}, "Transitions": _classes(1)},
            "InvalidRequest",
            "Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle "
            "rule for filter '(prefix=)'",
        ),
        (
            {"Transitions": [*_classes(1), {"Date": _DAY, "StorageClass": "GLACIER"}]},
            "InvalidRequest",
            "Found mixed 'Date' and 'Days' based Transition actions in lifecycle rule for filter "
            "'(prefix=)'",
        ),
        (
            {
                "Filter": {"Tag": {"Key": "a", "Value": "b"}},
                "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
            },
            "InvalidRequest",
            "AbortIncompleteMultipartUpload cannot be specified with Tags.",
        ),
        (
            {
                "Filter": {"ObjectSizeGreaterThan": 1},
                "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
            },
            "InvalidRequest",
            "AbortIncompleteMultipartUpload cannot be specified with Object Size.",
        ),
        (
            {
                "Filter": {"ObjectSizeGreaterThan": 1},
                "Expiration": {"ExpiredObjectDeleteMarker": True},
            },
            "InvalidRequest",
            "ExpiredObjectDeleteMarker cannot be specified with Object Size.",
        ),
        (
            {"Filter": {"ObjectSizeLessThan": 0}, "Expiration": {"Days": 1}},
            "InvalidRequest",
            "'ObjectSizeLessThan' should be between 1 and 1099511627776000.",
        ),
        (
            {
                "Filter": {"And": {"ObjectSizeGreaterThan": 9, "ObjectSizeLessThan": 9}},
                "Expiration": {"Days": 1},
            },
            "InvalidRequest",
            "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.",
        ),
    ],
)
def test_actions_that_contradict_each_other(rule: dict[str, Any], code: str, message: str) -> None:
    assert refusal(lifecycle(rule)) == (code, message)


@pytest.mark.parametrize(
    "rule",
    [
        {"Expiration": {"Days": 1, "Date": _DAY}},
        {"Transitions": [{"Days": 1, "Date": _DAY, "StorageClass": "GLACIER"}]},
        {"NoncurrentVersionExpiration": {"NewerNoncurrentVersions": 1}},
        {"Filter": {"And": {"Prefix": "a"}}, "Expiration": {"Days": 1}},
    ],
)
def test_rules_that_the_schema_refuses(rule: dict[str, Any]) -> None:
    assert refusal(lifecycle(rule))[0] == "MalformedXML"


def test_number_of_rules() -> None:
    rule = {"Expiration": {"Days": 1}}
    put = lifecycle(*[rule] * 1000)
    put()
    s3 = client("s3")
    assert len(s3.get_bucket_lifecycle_configuration(Bucket="one")["Rules"]) == 1000
    full = {"Status": "Enabled", "Filter": {}, **rule}
    for rules in ([], [full] * 1001):
        given = {"Bucket": "one", "LifecycleConfiguration": {"Rules": rules}}
        assert refusal(s3.put_bucket_lifecycle_configuration, **given)[0] == "MalformedXML"


def test_prefixes_of_both_forms() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    old = {"Status": "Enabled", "Prefix": "a", "Expiration": {"Days": 1}}
    new = {"Status": "Enabled", "Filter": {}, "Expiration": {"Days": 1}}

    def put(*rules: dict[str, Any]) -> tuple[str, str]:
        return refusal(
            s3.put_bucket_lifecycle_configuration,
            Bucket="one",
            LifecycleConfiguration={"Rules": list(rules)},
        )

    assert put(new, old) == (
        "InvalidRequest",
        "Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the "
        "Filter.",
    )
    assert put(old, new) == (
        "InvalidRequest",
        "Filter element can only be used in Lifecycle V2.",
    )
    neither = {"Status": "Enabled", "Expiration": {"Days": 1}}
    assert put(neither)[0] == "MalformedXML"
    s3.put_bucket_lifecycle_configuration(
        Bucket="one", LifecycleConfiguration={"Rules": [old, {**old, "Prefix": "b"}]}
    )


def test_rules_that_are_taken_together() -> None:
    lifecycle(
        {"Transitions": _classes(0, 90, 180), "Expiration": {"Days": 181}},
        {"Transitions": [{"Date": _DAY, "StorageClass": "GLACIER"}]},
        {"Expiration": {"ExpiredObjectDeleteMarker": True}},
        {"NoncurrentVersionExpiration": {"NoncurrentDays": 1, "NewerNoncurrentVersions": 500}},
        {
            "Filter": {"And": {"Prefix": "", "ObjectSizeGreaterThan": 1}},
            "Expiration": {"Days": 1},
        },
        {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}},
    )()
    found = client("s3").get_bucket_lifecycle_configuration(Bucket="one")["Rules"]
    assert len(found) == 6
    # Rules without an id get one.
    assert len(base64.b64decode(found[0]["ID"])) == 36

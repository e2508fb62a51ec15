"""Tests of services.sns.platform_applications."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

BOTH = {"PlatformPrincipal": "p", "PlatformCredential": "c"}


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"Name": ""}, " Reason: cannot be empty"),
        ({"Name": "a" * 257}, f"{'a' * 257} Reason: must be at most 256 characters long"),
        (
            {"Name": "@n"},
            "@n Reason: must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', and '.'",
        ),
        ({"Platform": "AAA"}, "Platform Reason: AAA is not supported"),
        (
            {"Attributes": {"PlatformPrincipal": "p"}},
            "Attributes Reason: PlatformPrincipal attribute provided without PlatformCredential",
        ),
        (
            {"Attributes": {"PlatformCredential": "c"}},
            "Attributes Reason: PlatformCredential attribute provided without PlatformPrincipal",
        ),
    ],
)
def test_applications_that_are_refused(request_: dict[str, Any], problem: str) -> None:
    request = {"Name": "n", "Platform": "ADM", "Attributes": BOTH, **request_}
    found = refusal(client("sns").create_platform_application, **request)
    assert found[:2] == ("InvalidParameter", f"Invalid parameter: {problem}")


def test_attributes_of_applications() -> None:
    sns = client("sns")
    made = sns.create_platform_application(
        Name="n", Platform="GCM", Attributes={"PlatformCredential": "c"}
    )["PlatformApplicationArn"]
    put = {"PlatformApplicationArn": made, "Attributes": {"Enabled": "true"}}
    sns.set_platform_application_attributes(**put)
    get = sns.get_platform_application_attributes
    assert get(PlatformApplicationArn=made)["Attributes"]["Enabled"] == "true"
    assert refusal(get, PlatformApplicationArn=made + "x")[:2] == (
        "NotFound",
        "PlatformApplication does not exist",
    )
    for call, more in ((get, {}), (sns.set_platform_application_attributes, {"Attributes": BOTH})):
        assert refusal(call, PlatformApplicationArn="none", **more)[:2] == (
            "InvalidParameter",
            "Invalid parameter: PlatformApplicationArn Reason: An ARN must have at least 6 "
            "elements, not 1",
        )

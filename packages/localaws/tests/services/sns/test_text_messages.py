"""Tests of services.sns.text_messages."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("Colour", "red", "Colour is not a valid attribute"),
        ("DefaultSMSType", "Loud", "DefaultSMSType is invalid"),
    ],
)
def test_attributes_of_text_messages(name: str, value: str, message: str) -> None:
    put = client("sns").set_sms_attributes
    assert refusal(put, attributes={name: value})[:2] == ("InvalidParameter", message)
    put(attributes={"DefaultSMSType": "Transactional"})


def test_number_that_opts_in() -> None:
    opt_in = client("sns").opt_in_phone_number
    message = refusal(opt_in, phoneNumber="none")[1]
    assert message == "Invalid parameter: PhoneNumber Reason: input incorrectly formatted"
    opt_in(phoneNumber="+15551234567")

"""Tests of services.secretsmanager.passwords."""

from __future__ import annotations

import string
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
NO_LETTERS = {"ExcludeLowercase": True, "ExcludeUppercase": True}


@pytest.mark.parametrize(
    "given",
    [
        {**NO_LETTERS, "ExcludeNumbers": True, "ExcludePunctuation": True},
        {**NO_LETTERS, "ExcludePunctuation": True, "ExcludeCharacters": string.digits},
        {"ExcludeCharacters": string.digits},
    ],
)
def test_no_character_is_left(given: dict[str, Any]) -> None:
    found = refusal(client("secretsmanager").get_random_password, **given)
    assert found[0] == "InvalidParameterException"


def test_characters_that_are_left() -> None:
    get = client("secretsmanager").get_random_password
    digits = get(**NO_LETTERS, ExcludePunctuation=True)["RandomPassword"]
    assert set(digits) <= set(string.digits)
    assert len(digits) == 32
    given = {"ExcludeCharacters": string.digits, "RequireEachIncludedType": False}
    assert not set(get(**given)["RandomPassword"]) & set(string.digits)

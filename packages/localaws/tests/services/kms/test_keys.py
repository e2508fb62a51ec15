"""Tests of services.kms.keys."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.kms import keys


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("12345678-1234-1234-1234-123456789012", True),
        ("mrk-" + "a" * 32, True),
        ("mrk-12345678-1234-1234-1234-123456789012", False),
        ("12345678123412341234123456789012", False),
        ("alias/a", False),
    ],
)
def test_forms_of_ids(text: str, is_one: bool) -> None:
    assert keys.is_key_id(text) is is_one

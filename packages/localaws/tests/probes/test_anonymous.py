"""Replacement of what identifies an account."""

from __future__ import annotations

import pytest

from clusterwright_localaws.probes.anonymous import anonymous, mapped


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "The vpc ID 'vpc-0123456789abcdef0' does not exist",
            "The vpc ID 'vpc-<id>' does not exist",
        ),
        ("arn:aws:iam::123456789012:role/x", "arn:aws:iam::<account>:role/x"),
        ("AROAABCDEFGHIJKLMNOPQ:me", "<AROA id>:me"),
        ("AKIAABCDEFGHIJKLMNOP", "<AKIA id>"),
        ("key/12345678-1234-1234-1234-123456789abc", "key/<uuid>"),
        ("from 54.1.2.3 by a.b@example.com", "from <address> by <e-mail>"),
        ("10.0.0.0/16 and 0.0.0.0/0", "10.0.0.0/16 and 0.0.0.0/0"),
        (
            "us-east-1, 2026-11-23, ami-abc123, 1234567890",
            "us-east-1, 2026-11-23, ami-abc123, 1234567890",
        ),
    ],
)
def test_text(given: str, expected: str) -> None:
    assert anonymous(given) == expected


def test_known_names() -> None:
    assert anonymous("bucket acme-prod of acme", "acme", "acme-prod") == "bucket <name> of <name>"


def test_structure() -> None:
    assert mapped({"a": ["b", 1, None], "c": ("a",)}, str.upper) == {
        "A": ["B", 1, None],
        "C": ["A"],
    }

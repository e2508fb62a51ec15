"""Signals as a client sends them."""

from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation import signals
from clusterwright_localaws.cloudformation.signals import Board, Signal, read
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.cloudformation.stacks import REGION

BUCKET = "cloudformation-waitcondition-us-east-1"


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"\xff", b'{"Status": 1, "UniqueId": "a"}'])
def test_malformed_signal_counts_as_a_failure(body: bytes) -> None:
    found = read(body)
    assert not found.succeeded
    assert found.reason


def test_a_signal_is_read() -> None:
    body = b'{"Status": "SUCCESS", "UniqueId": 7, "Data": "d", "Reason": "r"}'
    assert read(body) == Signal("7", True, "r", "d")
    assert read(b'{"Status": "FAILURE", "UniqueId": "a"}') == Signal("a", False, "", "")
    assert read(b'{"Status": "MAYBE", "UniqueId": "a"}') == Signal(
        "a", False, "the signal's Status 'MAYBE' is unknown"
    )


def test_the_first_signal_of_an_id_counts() -> None:
    board = Board()
    first, second = Signal("a", True, ""), Signal("b", False, "")
    board.send("stack", "Wait", first)
    board.send("stack", "Wait", second)
    board.send("stack", "Wait", Signal("a", False, "later"))
    assert board.of("stack", "Wait") == [first, second]
    assert board.of("stack", "Other") == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"https://{BUCKET}.s3.us-east-1.amazonaws.com/a%3Ab/k?X-Amz-Signature=1", "a:b/k"),
        (f"http://localhost:4566/{BUCKET}/k", "k"),
        (f"https://{BUCKET}.s3.us-east-1.amazonaws.com/", None),
        ("https://other.s3.us-east-1.amazonaws.com/k", None),
        ("not a URL", None),
    ],
)
def test_the_key_in_a_handles_url(url: str, expected: str | None) -> None:
    assert signals.key_of(REGION, url) == expected


class TestHandle:
    def put(self, url: str, body: bytes) -> None:
        key = signals.key_of(REGION, url)
        signals._s3(REGION).put_object(Bucket=BUCKET, Key=key, Body=body)

    def test_signals_of_one_url_are_kept_in_order(self, aws: Runtime) -> None:
        url = signals.new_handle(REGION, "stack/handle")
        assert url.startswith(f"https://{BUCKET}.s3.us-east-1.amazonaws.com/stack/handle?")
        assert signals.of_handle(REGION, url) == []
        self.put(url, b'{"Status": "SUCCESS", "UniqueId": "a"}')
        self.put(url, b'{"Status": "FAILURE", "UniqueId": "a"}')
        self.put(url, b"broken")
        assert [(one.unique_id, one.succeeded) for one in signals.of_handle(REGION, url)] == [
            ("a", True),
            ("malformed", False),
        ]

    def test_a_deleted_handle_has_no_signals(self, aws: Runtime) -> None:
        url = signals.new_handle(REGION, "stack/handle")
        self.put(url, b'{"Status": "SUCCESS", "UniqueId": "a"}')
        signals.forget_handle(REGION, url)
        assert signals.of_handle(REGION, url) == []
        signals.forget_handle(REGION, "https://example.com/")

    def test_a_server_is_named_in_its_urls(self, aws: Runtime) -> None:
        aws.address = "http://localhost:4566"
        url = signals.new_handle(REGION, "k")
        assert url.startswith(f"http://localhost:4566/{BUCKET}/k?")

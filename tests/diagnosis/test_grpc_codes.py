"""What the status codes of gRPC say."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.grpc_codes import CODES, meaning


def test_innermost_status_says_it() -> None:
    text = "rpc error: code = Internal desc = x: rpc error: code = Unavailable desc = y"
    assert meaning(text) == CODES["Unavailable"]
    assert meaning(text.replace("Unavailable", "Unknown")) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("status = StatusCode.RESOURCE_EXHAUSTED", "ResourceExhausted"),
        ("rpc error: code = DataLoss", "DataLoss"),
    ],
)
def test_forms_of_go_and_python_are_read(text: str, name: str) -> None:
    assert meaning(text) == CODES[name]


def test_text_without_a_status_has_none() -> None:
    assert meaning("code = Unavailable") is None

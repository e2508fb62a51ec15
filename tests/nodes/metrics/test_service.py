"""Tests of service."""

from __future__ import annotations

from typing import Any

import pytest
from clusterwright_metrics import service, text

from tests.nodes.metrics.fake_node import (
    at,
    parsed,
)


@pytest.mark.enable_socket
def test_server_answers_only_scrapes(served: Any) -> None:
    status, kind, body = served("GET", "/metrics")
    assert (status, kind) == (200, text.CONTENT_TYPE)
    assert at(parsed(body), "good") == 1
    assert served("GET", "/")[0] == 404
    assert served("GET", "/../etc/passwd")[0] == 404
    assert served("POST", "/metrics")[0] == 501


def test_address_of_another_machine_ends_the_service_with_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "_WAIT_SECONDS", -1.0)
    monkeypatch.setattr(
        service, "Server", lambda *_: (_ for _ in ()).throw(OSError(99, "Cannot assign"))
    )
    with pytest.raises(SystemExit, match=r"cannot listen at 192\.0\.2\.1:9177"):
        service.main(["--role=compute", "--listen=192.0.2.1:9177"])

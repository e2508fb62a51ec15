"""Fixtures of the tests in this folder."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clusterwright_common.probe import Probe
from clusterwright_metrics import service
from clusterwright_metrics.scrape import Scraper

from tests.nodes.metrics.fake_node import (
    Machine,
    fake,
    good,
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def served() -> Iterator[Callable[[str, str], tuple[int, str, str]]]:
    scraper = Scraper("compute", Probe, 2.0, {"c": fake(good)}, lambda _: None)
    server = service.Server(("127.0.0.1", 0), scraper)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def ask(method: str, path: str) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.read().decode()

    yield ask
    server.shutdown()
    server.server_close()

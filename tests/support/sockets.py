"""Sockets: none by default; with the `enable_socket` mark, this machine's loopback only."""

from __future__ import annotations

import pytest
import pytest_socket

_LOOPBACK = ["127.0.0.1", "::1", "localhost"]


@pytest.hookimpl(trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # After pytest-socket's own hook, which would let a marked test reach any host.
    if item.get_closest_marker("enable_socket"):
        pytest_socket.socket_allow_hosts(_LOOPBACK, allow_unix_socket=True)

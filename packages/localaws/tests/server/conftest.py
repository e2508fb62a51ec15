"""A local AWS on a port for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from packages.localaws.tests.servers import server


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server() as (found, _):
        yield found

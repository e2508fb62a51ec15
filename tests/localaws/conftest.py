"""A local AWS around every test, without sockets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clusterwright.localaws import local_aws
from clusterwright.localaws.runtime import Runtime
from tests.localaws.parts import Site, build_site


@pytest.fixture
def aws() -> Iterator[Runtime]:
    """The generous world."""
    with local_aws() as runtime:
        yield runtime


@pytest.fixture
def site(aws: Runtime) -> Site:
    return build_site()

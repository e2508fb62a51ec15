"""A local AWS around every test, without sockets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import Site, build_site


@pytest.fixture
def aws() -> Iterator[Runtime]:
    """A local AWS in the world `generous`."""
    with local_aws() as runtime:
        yield runtime


@pytest.fixture
def local() -> Iterator[None]:
    """A new local AWS, for tests that do not need its runtime."""
    with local_aws():
        yield


@pytest.fixture
def enforced() -> Iterator[Runtime]:
    """A local AWS that enforces IAM."""
    with local_aws(iam="enforced", account="111122223333") as runtime:
        yield runtime


@pytest.fixture
def site(aws: Runtime) -> Site:
    return build_site()

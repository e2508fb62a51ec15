"""What every test gets: no network, no AWS account, no leftovers in the environment."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import hypothesis
import pytest

from tests.support.environment import isolate

isolate(os.environ)

pytest_plugins = [
    "tests.support.api_models",
    "tests.support.file_order",
    "tests.support.no_skips",
    "tests.support.sockets",
    "tests.support.suite_seconds",
    "tests.support.synthesis",
]

# Tests allocate much and free most of it; the defaults examine every object a tenth of the time.
gc.set_threshold(200_000, 10, 10)

# The same examples in every run, so that a red run can be repeated; CLUSTERWRIGHT_FUZZ=1 looks
# for new ones.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("fuzz" if os.environ.get("CLUSTERWRIGHT_FUZZ") else "repeatable")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exclude the modules and the tests from garbage collection: they live as long as the process.

    A worker of a run of everything has more than a million of these objects.
    """
    gc.freeze()


@pytest.fixture(autouse=True)
def _environment_is_put_back() -> Iterator[None]:
    """A test that changes `os.environ`, or disables the collector, does not change the next."""
    before, collects = dict(os.environ), gc.isenabled()
    yield
    if collects:
        gc.enable()
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)

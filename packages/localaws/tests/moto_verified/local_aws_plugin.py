"""A pytest plugin for moto's own tests: whatever they mock is answered by the local AWS.

moto's tests start moto's mock around each test. The outermost one runs a local AWS here, so that
its gateway, checks and services answer, with their state of that test alone.
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Replace the start and the end of moto's mock, before a test module is imported."""
    from moto.core.models import MockAWS

    from clusterwright_localaws.core.runtime import running
    from clusterwright_localaws.server.install import install
    from clusterwright_localaws.worlds.loading import DEFAULT_WORLD, load_world

    world = load_world(DEFAULT_WORLD)
    install()
    start, stop = MockAWS.start, MockAWS.stop
    active: list[AbstractContextManager[Any]] = []

    def start_local_aws(self: MockAWS, reset: bool = True) -> None:
        if MockAWS._nested_count == 0:
            active.append(running(world))
            active[-1].__enter__()
        start(self, reset=reset)

    def stop_local_aws(self: MockAWS, remove_data: bool = True) -> None:
        stop(self, remove_data=remove_data)
        if MockAWS._nested_count == 0 and active:
            active.pop().__exit__(None, None, None)

    MockAWS.start = start_local_aws  # type: ignore[method-assign]
    MockAWS.stop = stop_local_aws  # type: ignore[method-assign]


_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how a test ended; a failure of its set-up or its end counts as its own."""
    if report.when == "call" or report.outcome != "passed":
        expected = hasattr(report, "wasxfail")
        outcome = "expected to fail" if expected else report.outcome
        if _outcomes.get(report.nodeid) != "failed":
            _outcomes[report.nodeid] = outcome


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write every outcome, by test, to the file that the caller names."""
    Path(os.environ["MOTO_OUTCOMES"]).write_text(json.dumps(_outcomes))

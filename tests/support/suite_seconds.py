"""Prints how many seconds each suite took: the folders directly under `tests/`."""

from __future__ import annotations

from collections import defaultdict

import pytest


class SuiteSeconds:
    """Adds up set-up, call and tear-down of every test, by suite."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)
        self._tests: dict[str, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        suite = suite_of(report.nodeid)
        self._seconds[suite] += report.duration
        self._tests[suite].add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._seconds:
            return
        terminalreporter.section("seconds per suite")
        for suite, seconds in sorted(self._seconds.items(), key=lambda pair: -pair[1]):
            terminalreporter.line(
                f"{suite:<20} {seconds:>7.1f} s  {len(self._tests[suite]):>5} tests"
            )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(SuiteSeconds(), "suite-seconds")


def suite_of(nodeid: str) -> str:
    """`cost` for tests/cost/test_a.py, `localaws` for packages/localaws/tests/test_b.py."""
    parts = nodeid.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "repository"

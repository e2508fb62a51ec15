"""On the machine that runs everything (root on Linux), a skipped test is a failed one.

A suite that skips itself where a tool is missing looks green and proves nothing. Elsewhere a test
may skip, with its reason; `--allow-skips` permits it here too, for a developer's own run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--allow-skips",
        action="store_true",
        help="let tests skip, also as root on Linux where the whole suite must run",
    )


def _must_run_everything(config: pytest.Config) -> bool:
    if config.getoption("--allow-skips"):
        return False
    return sys.platform == "linux" and os.geteuid() == 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # An expected failure (xfail) also reports "skipped"; it did run, so it stays as it is.
    if report.skipped and not hasattr(report, "wasxfail") and _must_run_everything(item.config):
        report.outcome = "failed"
        report.longrepr = _message(item.nodeid, report.longrepr)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped and _must_run_everything(collector.config):
        report.outcome = "failed"
        report.longrepr = _message(collector.nodeid, report.longrepr)
    return report


def _message(name: str, reason: object) -> str:
    text = reason[2] if isinstance(reason, tuple) else str(reason)
    return (
        f"{name} was skipped ({text.removeprefix('Skipped: ')}), and as root on Linux every test "
        "must run: mend the set-up, or pass --allow-skips in a run of your own"
    )

"""The rules of the suite: no skips, no network, seconds per suite."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.environment import isolate
from tests.support.suite_seconds import suite_of

pytest_plugins = ["pytester"]

_ROOT = Path(__file__).resolve().parents[2]
_TESTS = """
import socket
import pytest

def test_that_skips():
    pytest.skip("no such tool")

@pytest.mark.xfail(reason="known")
def test_that_is_expected_to_fail():
    assert False

def test_without_a_mark():
    socket.socket()

@pytest.mark.enable_socket
def test_loopback():
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())

@pytest.mark.enable_socket
def test_elsewhere():
    with socket.socket() as client:
        client.connect(("192.0.2.1", 80))
"""
_OPTIONS = (
    "-p",
    "tests.support.no_skips",
    "-p",
    "tests.support.sockets",
    "-p",
    "tests.support.suite_seconds",
    "--disable-socket",
)


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", os.fspath(_ROOT))

    def call(text: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_probe=text)
        return pytester.runpytest_subprocess(*_OPTIONS, *options)

    return call


needs_all_to_run = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="skips are permitted here"
)


@needs_all_to_run
def test_skip_is_a_failure_that_says_why(run) -> None:
    result = run(_TESTS)
    result.assert_outcomes(passed=1, failed=3, xfailed=1, warnings=2)
    result.stdout.fnmatch_lines(
        ["*test_that_skips was skipped (no such tool), and as root on Linux every test must run*"]
    )


@needs_all_to_run
def test_module_that_skips_itself_is_a_failure_too(run) -> None:
    result = run("import pytest\npytest.skip('not here', allow_module_level=True)\n")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*was skipped (not here)*"])


def test_skips_may_be_allowed(run) -> None:
    result = run(_TESTS, "--allow-skips", "-k", "skips")
    result.assert_outcomes(skipped=1, deselected=4)
    assert result.ret == 0


def test_sockets_reach_the_loopback_interface_only_with_the_mark(run) -> None:
    result = run(_TESTS, "-k", "mark or loopback or elsewhere")
    result.assert_outcomes(passed=1, failed=2, deselected=2, warnings=2)
    result.stdout.fnmatch_lines(
        [
            "*SocketBlockedError: A test tried to use socket.socket.",
            '*SocketConnectBlockedError: *with host "192.0.2.1" (allowed: *',
        ]
    )


def test_seconds_are_printed_before_the_summary_line(run) -> None:
    result = run("def test_one(): pass\ndef test_two(): pass\n")
    result.stdout.re_match_lines(
        [r"=+ seconds per suite =+", r"repository +0\.\d s +2 tests", r"=+ 2 passed in .*"]
    )


@pytest.mark.parametrize(
    ("nodeid", "suite"),
    [
        ("tests/cluster_spec/test_a.py::test_b", "cluster_spec"),
        ("tests/cluster_spec/deep/test_a.py::TestC::test_b[x/y]", "cluster_spec"),
        ("tests/test_a.py::test_b", "repository"),
    ],
)
def test_suite_is_the_folder_under_tests(nodeid: str, suite: str) -> None:
    assert suite_of(nodeid) == suite


def test_environment_cannot_reach_an_account() -> None:
    environment = {
        "AWS_PROFILE": "production",
        "AWS_ACCESS_KEY_ID": "AKIA",
        "AWS_SESSION_TOKEN": "secret",
        "AWS_ENDPOINT_URL_S3": "https://s3.example",
        "CLUSTERWRIGHT_ENV": "prod",
        "https_proxy": "http://proxy.example",
        "PATH": "/usr/bin",
    }
    isolate(environment)
    assert environment["AWS_ACCESS_KEY_ID"] == "testing"
    assert environment["AWS_CONFIG_FILE"] == os.devnull
    assert environment["AWS_EC2_METADATA_DISABLED"] == "true"
    gone = {"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3", "CLUSTERWRIGHT_ENV"}
    assert not gone & environment.keys()
    assert "https_proxy" not in environment
    assert environment["PATH"].split(os.pathsep) == [
        os.fspath(Path(sys.executable).parent),
        "/usr/bin",
    ]

"""Tests of nodes.platform_node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clusterwright_rehearsal.nodes import platform_node
from clusterwright_rehearsal.nodes.platform_node import domain_of, until


def test_domains_of_host_names() -> None:
    assert domain_of("us-east-1") == "ec2.internal"
    assert domain_of("us-west-2") == "us-west-2.compute.internal"


def test_until_succeeds_with_its_command() -> None:
    ran = subprocess.run(["bash", "-c", until("true")], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, b"")


def test_until_repeats_a_command_that_fails_at_first(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    command = f"echo >>{tries} && [ $(wc -l <{tries}) -ge 3 ]"
    ran = subprocess.run(["bash", "-c", until(command)], capture_output=True, check=False)
    assert (ran.returncode, len(tries.read_text())) == (0, 3)


def test_until_fails_with_the_output_of_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform_node, "_ANSWER_SECONDS", 1)
    command = until("{ echo text; echo error >&2; false; }")
    ran = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, b"", b"text\nerror\n")

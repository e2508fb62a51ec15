"""`make demo` as a stranger would run it, from the first line to the last."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest

from demo.shell import ROOT


@pytest.mark.slow
@pytest.mark.enable_socket
def test_demo_does_what_it_says_in_less_than_three_minutes() -> None:
    before = _configs()
    started = time.monotonic()
    result = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )
    seconds = time.monotonic() - started
    assert result.returncode == 0, result.stdout[-6000:]
    assert seconds < 180, f"{seconds:.0f} s"

    commands = re.findall(r"^\$ (.*)$", result.stdout, re.MULTILINE)
    expected = [
        r"clusterwright localaws --port 0 --world generous &",
        r"clusterwright check configs/dev\.yaml",
        r"clusterwright localaws --port 0 --world new-account &",
        r"AWS_ENDPOINT_URL=\S+ clusterwright check configs/dev\.yaml",
        r"clusterwright cost configs/dev\.yaml",
        r"cdk bootstrap -c env=dev",
        r"cdk deploy -c env=dev --all --require-approval never",
        r"python demo/list_nodes\.py",
        r"cdk diff -c config=\S+/dev\.yaml",
        r"cdk deploy -c config=\S+/dev\.yaml --all --require-approval never",
        r"python demo/list_nodes\.py",
        r"cdk destroy -c config=\S+/dev\.yaml --all --force",
        r"python demo/list_nodes\.py",
        r"kill \d+",
    ]
    rest = iter(commands)
    for pattern in expected:
        assert any(re.fullmatch(pattern, command) for command in rest), f"no `{pattern}` in turn"
    assert result.stdout.rstrip().endswith("s; nothing is left running")
    for pid in re.findall(r"^\$ kill (\d+)$", result.stdout, re.MULTILINE):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    assert _configs() == before, "the demo changed a file of the user's"


def _configs() -> dict[str, bytes]:
    folder = ROOT / "configs"
    return {os.fspath(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

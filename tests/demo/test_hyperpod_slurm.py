"""`make demo` on a new checkout, from the first line to the last."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clusterwright_rehearsal.prerequisites import nodes_unavailable
from demo import hyperpod_slurm
from demo.shell import ROOT, Shell


@pytest.mark.slow
@pytest.mark.enable_socket
def test_demo_succeeds_and_leaves_nothing_running() -> None:
    before = _configs()
    result = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )
    assert result.returncode == 0, result.stdout[-6000:]
    reason = nodes_unavailable()
    if reason is None:
        assert re.search(r"^Promises: \d+ passed$", result.stdout, re.MULTILINE)
    else:
        assert f"Not run here: {reason}." in result.stdout

    commands = re.findall(r"^\$ (.*)$", result.stdout, re.MULTILINE)
    expected = [
        r"clusterwright localaws --port 0 --world generous &",
        r"clusterwright check configs/dev\.yaml",
        r"clusterwright localaws --port 0 --world new-account &",
        r"AWS_ENDPOINT_URL=\S+ clusterwright check configs/dev\.yaml",
        r"AWS_ENDPOINT_URL=\S+ clusterwright diff \S+/p5-8\.yaml --base \S+ --format markdown",
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
        *(
            [r"clusterwright rehearse configs/dev\.yaml( --scenario \S+)+"]
            if reason is None
            else []
        ),
    ]
    rest = iter(commands)
    for pattern in expected:
        assert any(re.fullmatch(pattern, command) for command in rest), f"no `{pattern}` in turn"
    assert result.stdout.rstrip().endswith("s; nothing is left running")
    assert len(result.stdout.splitlines()) < 400, "the demo is readable"
    log = re.search(r"The complete output is in (\S+\.log)$", result.stdout, re.MULTILINE)
    assert log is not None
    complete = Path(log[1]).read_text(encoding="utf-8")
    Path(log[1]).unlink()
    assert len(complete.splitlines()) > 1.5 * len(result.stdout.splitlines())
    assert "CREATE_COMPLETE" in complete
    assert "Next: your own cluster" in result.stdout
    assert "# Two rules end as unknown" in result.stdout
    for pid in re.findall(r"^\$ kill (\d+)$", result.stdout, re.MULTILINE):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    assert _configs() == before, "the demo changed a file of the user's"


def test_demo_reports_what_it_did_not_rehearse(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hyperpod_slurm, "nodes_unavailable", lambda: "emulated nodes require root")
    hyperpod_slurm._rehearse(Shell())
    said = capsys.readouterr().out
    assert "# Not run here: emulated nodes require root. As root on Linux:" in said
    assert "clusterwright rehearse configs/dev.yaml --scenario first-boot" in said


def _configs() -> dict[str, bytes]:
    folder = ROOT / "configs"
    return {os.fspath(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

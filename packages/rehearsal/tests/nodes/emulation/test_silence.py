"""A file system that does not answer."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from clusterwright_rehearsal.prerequisites import nodes_unavailable
from packages.rehearsal.tests.nodes.emulation.conftest import TOOLS

_SILENCE = """
mount --bind "$1/real" "$1/seen"
setsid python3 -SE "$2" "$1/seen" >"$1/said" &
while ! grep -q "seen autofs" /proc/self/mounts; do sleep 0.05; done
timeout --signal=KILL 1 stat --file-system "$1/seen" >/dev/null 2>&1 || echo "no answer"
cat "$1/seen/file" & reader=$!
sleep 0.3
kill -0 "$reader" && echo "waits"
kill -TERM "$(pgrep --full "silence.py $1/seen" | tail -1)"
wait "$reader" && echo "went on"
while grep -q "seen autofs" /proc/self/mounts; do sleep 0.05; done
cat "$1/seen/file"
"""


@pytest.mark.slurm
def test_unresponsive_file_system_blocks_readers_until_it_answers(tmp_path: Path) -> None:
    reason = nodes_unavailable()
    if reason is not None:
        pytest.skip(reason)
    for name in ("real", "seen"):
        (tmp_path / name).mkdir()
    (tmp_path / "real" / "file").write_text("what was there\n")
    process = subprocess.Popen(
        [
            *("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"),
            *("bash", "-c", _SILENCE, "bash", str(tmp_path), str(TOOLS / "silence.py")),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said, complained = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert said.splitlines() == [
        "no answer",
        "waits",
        "what was there",
        "went on",
        "what was there",
    ], complained

"""IOR: node counts, what is read, and the space that it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.made import IMAGE, made_cluster, rendered

_IOR = """#!/bin/bash
echo "ior $*" >>"@@/calls"
while [[ "$1" != -o ]]; do shift; done
touch "$2.00000000" && echo "write 1000 MiB/s"
"""


def run(folder: Path, **settings: str) -> tuple[int, str, list[str]]:
    (folder / "fsx").mkdir()
    done = node.run(rendered("ior", gib="1", nodes="3", plan=None, **settings), folder, nodes=3)
    log = done.stdout + done.stderr
    return done.returncode, log, [c for c in node.calls(folder) if c.startswith("ior")]


def test_steps_and_no_files_left(tmp_path: Path) -> None:
    node.command(tmp_path, "usr/local/bin/ior", _IOR)
    code, log, calls = run(tmp_path, processes="4")
    assert code == 0, log
    data = f"-C -Q 4 -e -g -b 1g -t 1m -o {tmp_path}/fsx/runs/ior/data/77/data"
    assert calls == [
        f"ior -a POSIX -w -F {data}",
        f"ior -a POSIX -w -r -F {data}",
        f"ior -a POSIX -w -r -F {data}",
    ]
    steps = [call for call in node.calls(tmp_path) if call.startswith("srun")]
    assert ["--nodes=1" in steps[0], "--nodes=2" in steps[1], "--nodes=3" in steps[2]] == [
        True
    ] * 3
    assert "--ntasks-per-node=4 --mpi=pmix" in steps[0]
    assert not (tmp_path / "fsx/runs/ior/data/77").exists()
    assert (tmp_path / "fsx/runs/ior/77/2-nodes.txt").read_text() == "write 1000 MiB/s\n"


def test_a_failed_step_fails_the_job(tmp_path: Path) -> None:
    node.command(tmp_path, "usr/local/bin/ior", "#!/bin/bash\nexit 3\n")
    code, log, _ = run(tmp_path, only="2", one_file="yes")
    assert code == 1
    assert "IOR on 2 nodes failed" in log
    assert not (tmp_path / "fsx/runs/ior/data/77").exists()


def test_space_and_program(tmp_path: Path) -> None:
    code, log, calls = run(tmp_path)
    assert (code, calls) == (92, [])
    assert "ior does not exist: render with another program=PATH or an image" in log
    node.command(tmp_path, "usr/local/bin/ior", _IOR)
    node.command(tmp_path, "df", "#!/bin/bash\nprintf 'Avail\\n   40\\n'\n")
    text = rendered("ior", gib="1", nodes="3")
    done = node.run(text, tmp_path, nodes=3)
    assert done.returncode == 92
    assert "has 40 GiB free, and the test writes 24" in done.stdout


def test_in_a_container() -> None:
    text = rendered("ior", image=IMAGE)
    assert '--container-image="$IMAGE"' in text
    assert "does not exist: render with another program" not in text


def test_a_cluster_without_a_shared_file_system() -> None:
    with pytest.raises(RefusedError, match="no FSx for Lustre file system"):
        rendered("ior", made_cluster(storage={}))

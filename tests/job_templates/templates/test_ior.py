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
    # Not the space of the machine that runs the tests.
    node.command(folder, "df", "#!/bin/bash\nprintf 'Avail\\n   4000\\n'\n")
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


_ON_DRIVES = """#!/bin/bash
echo "ior $*" >>"@@/calls"
[[ "$*" == *--posix.odirect* ]] || exit 0
node=$(ls "@@/started" | wc -l)
touch "@@/started/$node"
[[ $node == FAILS ]] && exit 3
echo "Max Write: 1000.00 MiB/sec (${node}048.58 MB/sec)"
echo "Max Read:  2000.00 MiB/sec (2${node}97.15 MB/sec)"
"""
_IN_ORDER = """#!/bin/bash
echo "srun $*" >>"@@/calls"
exec 9>"@@/lock"
flock 9
while [[ "$1" == -* ]]; do shift; done
"$@"
"""


def on_drives(folder: Path, fails: str = "none") -> tuple[int, str, list[str]]:
    earlier = folder / "fsx/runs/ior/77/local/gone.txt"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("Max Write: 1.00 MiB/sec (1.05 MB/sec)\n")
    for name in ("scratch", "started"):
        (folder / name).mkdir()
    node.command(folder, "usr/local/bin/ior", _ON_DRIVES.replace("FAILS", fails))
    node.command(folder, "srun", _IN_ORDER)
    done = node.run(
        rendered("ior", partition="gpu", gib="1", nodes="4", processes="2", plan=None),
        folder,
        nodes=4,
    )
    return done.returncode, done.stdout + done.stderr, node.calls(folder)


def test_the_drives_of_every_node(tmp_path: Path) -> None:
    code, log, calls = on_drives(tmp_path)
    assert code == 0, log
    steps = [call for call in calls if call.startswith("srun") and "--nodelist" in call]
    for number, step in enumerate(sorted(steps), start=1):
        assert f"--nodes=1 --ntasks=2 --ntasks-per-node=2 --nodelist=node-{number} " in step
    (line,) = {call for call in calls if call.startswith("ior") and "odirect" in call}
    files = f"{tmp_path}/scratch/runs/ior/ior/77/data"
    assert line == f"ior -a POSIX -w -r -F -e -g --posix.odirect -b 1g -t 1m -o {files}"
    figures = (tmp_path / "fsx/runs/ior/77/local.txt").read_text()
    assert figures in log
    assert "gone" not in figures
    assert len(figures.splitlines()) == 10
    assert "node-1: write: " in figures
    assert "write: together 6194.32 MB/s, slowest node-" in figures
    assert "read: together 8988.6 MB/s, slowest node-" in figures
    assert not (tmp_path / "scratch/runs/ior/ior/77").exists()


def test_a_node_without_figures_fails_the_job(tmp_path: Path) -> None:
    code, log, _ = on_drives(tmp_path, fails="2")
    assert code == 1
    assert "write: 1 of 4 nodes have no result" in log
    assert "read: together" in log
    assert not (tmp_path / "scratch/runs/ior/ior/77").exists()


def test_drives_without_space(tmp_path: Path) -> None:
    (tmp_path / "fsx").mkdir()
    node.command(tmp_path, "usr/local/bin/ior", _ON_DRIVES)
    node.command(tmp_path, "df", "#!/bin/bash\nprintf 'Avail\\n   3\\n'\n")
    text = rendered("ior", partition="gpu", folder="/scratch", gib="1", processes="2", plan=None)
    done = node.run(text, tmp_path, nodes=4)
    assert done.returncode == 92
    assert "has 3 GiB free, and the test writes 2: use less gib" in done.stdout
    assert not (tmp_path / "scratch/77").exists()
    assert not any(call.startswith("ior") for call in node.calls(tmp_path))


def test_only_one_folder() -> None:
    assert "--posix.odirect" not in rendered("ior", partition="gpu", folder="/fsx/here")
    text = rendered("ior", partition="gpu", folder="/scratch/here")
    assert "LOCAL=/scratch/here/$SLURM_JOB_ID\n" in text
    assert "NODE_COUNTS" not in text


def test_in_a_container() -> None:
    text = rendered("ior", image=IMAGE)
    assert '--container-image="$IMAGE"' in text
    assert "does not exist: render with another program" not in text


def test_a_cluster_without_a_shared_file_system() -> None:
    with pytest.raises(RefusedError, match="no FSx for Lustre file system"):
        rendered("ior", made_cluster(storage={}))

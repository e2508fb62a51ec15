"""fio: folders, free space, results of every node."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.made import made_cluster, rendered

_FIO = """#!/bin/bash
echo "fio $*" >>"@@/calls"
for word in "$@"; do
  case "$word" in
    --directory=*) folder=${word#*=} ;;
    --rw=*) way=${word#*=} ;;
    --output=*) output=${word#*=} ;;
    --name=*) name=${word#*=} ;;
  esac
done
touch "$folder/$name.0.0"
[[ "$folder $way" == *"scratch"*" FAILS" ]] && exit 1
echo "{\\"jobs\\": [{\\"error\\": 0, \\"$way\\": {\\"bw_bytes\\": 2000000000}}]}" >"$output"
"""


def test_all_file_systems_and_the_drives() -> None:
    text = rendered("fio", partition="gpu")
    assert "SHARED_FOLDERS=(/fsx/runs/fio/fio)\nLOCAL_FOLDERS=(/scratch/runs/fio/fio)\n" in text
    assert "GIB=$((16 * 4))\n" in text
    assert "LOCAL_FOLDERS=()\n" in rendered("fio", folder="/fsx/here")
    assert "SHARED_FOLDERS=()\n" in rendered("fio", partition="gpu", folder="/scratch")
    with pytest.raises(RefusedError, match="/tmp is on no file system that the test is for"):
        rendered("fio", folder="/tmp")


def test_a_cluster_without_a_shared_file_system() -> None:
    with pytest.raises(RefusedError, match="no FSx for Lustre file system"):
        rendered("fio", made_cluster(storage={}))


def run(folder: Path, fails: str = "", **settings: str) -> tuple[int, str]:
    for name in ("fsx", "scratch"):
        (folder / name).mkdir(exist_ok=True)
    node.command(folder, "fio", _FIO.replace("FAILS", fails))
    done = node.run(
        rendered("fio", partition="gpu", gib="1", processes="2", plan=None, **settings), folder
    )
    return done.returncode, done.stdout + done.stderr


def test_results_and_no_files_left(tmp_path: Path) -> None:
    code, log = run(tmp_path)
    assert code == 0, log
    assert log.count("write: 1 nodes, together 2000 MB/s, median 2000 MB/s") == 2
    assert log.count("read: 1 nodes") == 2
    results = tmp_path / "fsx/runs/fio/77"
    kinds = {path.name for path in results.iterdir() if path.is_dir()}
    assert kinds == {"shared-1-write", "shared-1-read", "local-write", "local-read"}
    (file,) = (results / "local-read").iterdir()
    assert json.loads(file.read_text())["jobs"][0]["read"]
    assert list(tmp_path.glob("*/runs/fio/fio/*")) == []
    line = next(call for call in node.calls(tmp_path) if call.startswith("fio "))
    assert "--size=1G --bs=1M --direct=1 --ioengine=libaio --iodepth=32 --numjobs=2" in line


def test_a_node_without_a_result_fails_the_job(tmp_path: Path) -> None:
    code, log = run(tmp_path, fails="read")
    assert code == 1
    assert "1 of 1 nodes have no result" in log
    assert list(tmp_path.glob("*/runs/fio/fio/*")) == []


def test_more_than_half_of_the_free_space_is_refused(tmp_path: Path) -> None:
    node.command(tmp_path, "df", "#!/bin/bash\nprintf 'Avail\\n   3\\n'\n")
    code, log = run(tmp_path)
    assert code == 92
    assert "has 3 GiB free, and the test writes 2" in log
    assert not any(call.startswith("fio") for call in node.calls(tmp_path))

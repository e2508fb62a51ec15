"""convert-checkpoint: the node, the tool's arguments, and where it is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.checkpoint_files import SHAPES, safetensors
from tests.job_templates.made import IMAGE, SPEC, findings, made_cluster, rendered


def text(cluster: Any = None, **given: str) -> str:
    base = {"checkpoints": "/fsx/checkpoints/run", "model": "/fsx/models/llama"}
    return rendered("convert-checkpoint", cluster, **(base | given))


def test_a_whole_node_without_accelerators() -> None:
    found = text()
    head = found.partition("set -o")[0]
    assert "--partition=cpu\n" in head
    assert "--nodes=1\n" in head
    assert "--exclusive\n" in head
    assert "--gpus-per-node" not in head
    assert found.rstrip().endswith("/fsx/checkpoints/run \\\n  /fsx/checkpoints/run-hf")
    assert "--checkout=/fsx/sources/torchtitan \\\n" in found
    assert "--model-flavor=8B \\\n" in found
    assert findings(found) == []


def test_megatron_bridge_in_a_container() -> None:
    found = text(kind="megatron-bridge", image=IMAGE, output="/fsx/exports")
    end = found.rpartition("srun ")[2]
    assert "--ntasks=1 \\\n" in end
    assert "--kind=megatron-bridge \\\n  --checkout=/fsx/sources/Megatron-Bridge \\\n" in end
    assert "--model-name" not in end
    assert end.rstrip().endswith("/fsx/exports")
    assert findings(found) == []


def test_nodes_with_accelerators_where_there_are_no_others() -> None:
    compute = [group for group in SPEC["compute"] if group["name"] in ("controller", "hopper")]
    slurm = SPEC["slurm"] | {"partitions": SPEC["slurm"]["partitions"][:1]}
    found = text(made_cluster(compute=compute, slurm=slurm))
    assert "# The cluster has no compute group without accelerators" in found


def test_refused() -> None:
    with pytest.raises(RefusedError, match="no FSx for Lustre file system"):
        text(made_cluster(storage={}))
    with pytest.raises(RefusedError, match="need about 522 GiB of memory, and"):
        text(tensors="1000", parameters="70000000000")
    with pytest.raises(SettingError, match="is stated without parameters"):
        text(tensors="1000")
    with pytest.raises(SettingError, match="this job has one process"):
        text(nodes="2")


def test_it_runs(tmp_path: Path) -> None:
    environment = tmp_path / "fsx/environments/convert-checkpoint/bin"
    environment.mkdir(parents=True)
    (environment / "python").symlink_to(sys.executable)
    whole = tmp_path / "fsx/checkpoints/run/step-7"
    whole.mkdir(parents=True)
    (whole / ".metadata").touch()
    safetensors(tmp_path / "fsx/models/llama/model.safetensors", SHAPES)
    (tmp_path / "fsx/models/llama/config.json").write_text("{}")
    node.command(
        tmp_path,
        "fsx/sources/torchtitan/scripts/checkpoint_conversion/convert_to_hf.py",
        "import shutil, sys\nshutil.copy('@@/fsx/models/llama/model.safetensors', sys.argv[2])\n",
    )
    done = node.run(text(), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    report = tmp_path / "fsx/checkpoints/run-hf/step-7/conversion.json"
    assert json.loads(report.read_text())["parameters"] == 36

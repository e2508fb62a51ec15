"""Trn1 with NxD: the release that it needs, its arguments, and who is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.framework_names import NXD
from tests.job_templates.made import example, findings, rendered

GIVEN = {"model": "/fsx/models/llama", "data": "/fsx/data/wiki"}
PROGRAM = (
    "fsx/neuronx-distributed/examples/training/llama/tp_zero1_llama_hf_pretrain/"
    "tp_zero1_llama_hf_pretrain.py"
)


def test_four_nodes() -> None:
    text = rendered("nxd", kv_replicator="4", keep="1", **GIVEN)
    assert "--nnodes=4 --nproc-per-node=32 \\\n" in text
    assert "--grad_accum_usteps=64 \\\n" in text
    assert "--num_kept_checkpoint=2 \\\n" in text
    assert "--kv_replicator=4 &\n" in text
    assert 'MARKER="done"\n' in text
    assert findings(text) == []


def test_every_argument_is_one_of_the_program() -> None:
    step = rendered("nxd", kv_replicator="4", **GIVEN).partition('"$PROGRAM" \\\n')[2]
    assert set(re.findall(r"^  (--\w+)", step, re.MULTILINE)) == NXD


def run(folder: Path, release: str, program: bool = True) -> tuple[int, str, list[str]]:
    """Run the job with a version of torch-neuronx; empty if the environment has none."""
    (folder / "fsx").mkdir()
    answer = f"echo {release}" if release else "exit 1"
    for name in ("python", "python3"):
        node.command(folder, f"fsx/environments/nxd/bin/{name}", f"#!/bin/bash\n{answer}\n")
    node.command(
        folder,
        "fsx/environments/nxd/bin/torchrun",
        '#!/bin/bash\necho "torchrun $* $PYTHONPATH" >>"@@/calls"\n',
    )
    if program:
        node.command(folder, PROGRAM, "")
    done = node.run(rendered("nxd", plan=None, **GIVEN), folder, nodes=4)
    calls = [call for call in node.calls(folder) if call.startswith("torchrun")]
    return done.returncode, done.stdout + done.stderr, calls


@pytest.mark.parametrize("release", ["2.9.0.2.11.0", "2.9.0.2.11.19912+e48cd891", "2.1.2.2.3.1"])
def test_neuron_2_28_and_older_train(tmp_path: Path, release: str) -> None:
    code, log, calls = run(tmp_path, release)
    assert code == 0, log
    (line,) = calls
    assert f"{tmp_path}/{PROGRAM} --model_path=" in line
    assert line.endswith(f" {tmp_path}/fsx/neuronx-distributed/examples/training/llama")


@pytest.mark.parametrize("release", ["2.9.0.2.12", "2.9.0.2.12.3", "2.10.1.2.0", "2.13.0"])
def test_a_newer_release_is_refused_with_the_reason(tmp_path: Path, release: str) -> None:
    code, log, calls = run(tmp_path, release)
    assert (code, calls) == (92, [])
    assert (
        f"torch-neuronx {release}: Trn1 trains with Neuron 2.28 or older, because NxD and XLA "
        "training ended there: pin torch-neuronx==2.9.0.2.11.*"
    ) in log


def test_no_release_and_no_program(tmp_path: Path) -> None:
    code, log, calls = run(tmp_path, "")
    assert (code, calls) == (92, [])
    assert "the environment has no torch-neuronx: Trn1 trains with Neuron 2.28" in log


def test_no_program(tmp_path: Path) -> None:
    code, log, calls = run(tmp_path, "2.9.0.2.11.0", program=False)
    assert (code, calls) == (92, [])
    assert "tp_zero1_llama_hf_pretrain.py does not exist: render with another program" in log


def test_layouts() -> None:
    with pytest.raises(SettingError, match="3 does not divide the 128 NeuronCores of 4 nodes"):
        rendered("nxd", tensor="3", **GIVEN)
    text = rendered("nxd", tensor="8", accumulation="16", **GIVEN)
    assert "--tensor_parallel_size=8 \\\n" in text
    assert "--grad_accum_usteps=16 \\\n" in text


def test_refused() -> None:
    with pytest.raises(RefusedError, match=r"trn2.*NxD ended with Neuron 2\.28"):
        rendered("nxd", example("configs/examples/trn2-1.yaml"), **GIVEN)
    with pytest.raises(RefusedError, match="nxd needs AWS Trainium"):
        rendered("nxd", partition="gpu", **GIVEN)

"""The rendered FSDP2 job with small sizes, and what its log says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clusterwright.goodput.report import RecordedPlan
from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal.scenario_api import fsdp_job
from clusterwright_rehearsal.scenario_api.fsdp_job import (
    FsdpRun,
    byte_tokens,
    lost_steps,
    require_pytorch,
    starts_of,
    with_small_sizes,
)
from clusterwright_rehearsal.scenario_api.outcomes import Broken, NotApplicable
from packages.rehearsal.tests.conftest import ROOT
from packages.rehearsal.tests.scenario_api.contexts import answering, context

LOG = """2026-11-27T18:00:00Z job 7: start 0 on ip-10-0-0-[5-8], newest whole checkpoint: -1
[2026-11-27 18:00:09] step: 1  loss: 5.60000  lr: 7.500e-04  tps: 900
[2026-11-27 18:00:09] step: 2  loss: 5.50000  lr: 1.500e-03  tps: 900
[2026-11-27 18:00:10] step: 3  loss: 5.40000  lr: 2.250e-03  tps: 900
2026-11-27T18:00:30Z job 7: start 1 on ip-10-0-0-[5-8], newest whole checkpoint: 2
[2026-11-27 18:00:39] Loading the checkpoint from /fsx/step-2
2026-11-27T18:00:50Z job 7: start 2 on ip-10-0-0-[5-8], newest whole checkpoint: 2
[2026-11-27 18:00:59] step: 3  loss: 5.40000  lr: 2.250e-03  tps: 900
"""


def test_the_rendered_file_has_small_sizes_and_is_otherwise_the_same(tmp_path: Path) -> None:
    found = context(tmp_path)
    found.cluster = load_cluster(ROOT / "configs/dev.yaml").cluster
    given = {"nodes": "2", "data": "/fsx/tokens"}
    text = FsdpRun(found, "run")._rendered(given)
    changed = with_small_sizes(text)
    different = [
        new.strip()
        for old, new in zip(text.splitlines(), changed.splitlines(), strict=True)
        if old != new
    ]
    assert different == [
        "--layers=2 --hidden=128 --ffn=256 \\",
        "--heads=4 --kv-heads=2 --vocab=256 \\",
        "--seq-len=64 --micro-batch=1 --accumulation=1 \\",
    ]
    with pytest.raises(Broken, match="0 times"):
        with_small_sizes("#!/bin/bash\n")


def test_starts_and_lost_steps_of_a_log() -> None:
    starts = starts_of(LOG)
    assert [(start.resumed_at, start.last) for start in starts] == [(-1, 3), (2, 2), (2, 3)]
    assert starts[0].curve[0] == (1, "5.60000 7.500e-04")
    assert "Loading the checkpoint" in starts[1].text
    assert lost_steps(starts) == 1
    assert starts_of("") == []


def test_the_files_of_a_run_are_read_on_the_host(tmp_path: Path) -> None:
    found = context(tmp_path)
    found._site.shared = tmp_path
    folder = tmp_path / "lustre/fs-1/abc/rehearsal/run"
    (folder / "checkpoints/step-10").mkdir(parents=True)
    (folder / "checkpoints/step-10/.metadata").touch()
    (folder / "checkpoints/step-20.part").mkdir()
    (folder / "job-1-7.out").write_text(LOG)
    run = FsdpRun(found, "run")
    commands = answering(found, {"cd /fsx/rehearsal/run": "7\n", "": ""})
    found.cluster = load_cluster(ROOT / "configs/dev.yaml").cluster
    job = run.submit(nodes="2")
    assert "OMP_NUM_THREADS=1" in commands[-1]
    assert run.whole() == 10
    assert not run.is_saving()
    (folder / "checkpoints/step-20.part/run.json").touch()
    assert run.is_saving()
    assert run.log(job) == LOG
    assert len(run.all_starts()) == 3
    curve = {1: "5.60000 7.500e-04", 2: "5.50000 1.500e-03", 3: "5.30000 2.250e-03"}
    assert run.curve_differences(curve) == ["step 3: 5.40000 2.250e-03, not 5.30000 2.250e-03"] * 2
    with pytest.raises(Broken, match="not on the shared file system"):
        found.host_path("/home/ubuntu")


@pytest.mark.parametrize(
    ("version", "skipped"),
    [("2.6.0+dfsg-7", True), ("2.14.1+dfsg-1", False), ("3.0.0-1", False), ("", True)],
)
def test_an_old_pytorch_skips_the_scenario(tmp_path: Path, version: str, skipped: bool) -> None:
    found = context(tmp_path)
    answering(found, {"dpkg-query": version})
    if skipped:
        with pytest.raises(NotApplicable, match="--slurm forky"):
            require_pytorch(found)
    else:
        require_pytorch(found)


def test_the_text_has_a_token_for_each_byte() -> None:
    text = fsdp_job._TEXT.read_bytes()
    tokens = byte_tokens(text)
    assert len(tokens) == 4 * len(text)
    assert bytes(tokens[::4]) == text
    assert set(tokens[1::4]) == {0}


def test_the_plan_is_of_the_model_with_small_sizes() -> None:
    words = re.findall(r"--([\w-]+)=(\d+)", " ".join(fsdp_job._SIZES.values()))
    size = {name: int(value) for name, value in words}
    hidden, head = size["hidden"], size["hidden"] // size["heads"]
    attention = 2 * hidden * hidden + 2 * hidden * size["kv-heads"] * head
    layer = attention + 3 * hidden * size["ffn"] + 2 * hidden
    parameters = 2 * size["vocab"] * hidden + size["layers"] * layer + hidden
    assert parameters == fsdp_job.PARAMETERS
    tokens = fsdp_job.NODES * size["seq-len"] * size["micro-batch"]
    assert tokens == fsdp_job.TOKENS_PER_STEP
    plan = RecordedPlan("plan.json", fsdp_job.plan_document("p5.4xlarge"))
    assert plan.flops_per_token == 6 * parameters
    assert fsdp_job.mfu(10, 2.0) == pytest.approx(10 * 256 * 6 * parameters / (2 * 4 * 1e12))

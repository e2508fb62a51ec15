"""The command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from clusterwright_acceptance import cluster_program, kubernetes_hold, program
from clusterwright_acceptance.expected import FILE

from tests.nodes.acceptance.fake_node import Node, gpu_row


def test_node_prints_its_result(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["node", "--level", "quick"], node.probe) == 0
    answer = capsys.readouterr()
    assert json.loads(answer.out)["verdict"] == "accepted"
    assert "gpu-count: pass\n" in answer.err
    node.nvidia_smi("\n".join(gpu_row(index) for index in range(7)))
    assert program.main(["node"], node.probe) == 1
    assert program.main(["node", "--check", "clock"], node.probe) == 2


def test_plan_and_counters_are_json(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["plan"], node.probe) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == "gpu-count"
    assert program.main(["counters"], node.probe) == 0
    assert len(json.loads(capsys.readouterr().out)["efa"]) == 32


def test_the_hold_follows_the_selected_nodes_until_it_is_ended(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EndedError(Exception):
        pass

    def step(self: kubernetes_hold.NodeWatch) -> None:
        self.alive()
        raise EndedError(self.selector)

    monkeypatch.setattr(kubernetes_hold.NodeWatch, "step", step)
    watched = node.root / kubernetes_hold.WATCHED.lstrip("/")
    watched.parent.mkdir(parents=True, exist_ok=True)
    with pytest.raises(EndedError, match="a=b"):
        program.main(["hold", "--selector=a=b"], node.probe)
    assert watched.exists()


@pytest.mark.parametrize(
    "argv",
    [[], ["dance"], ["hold"], ["node", "--level", "extreme"], ["node", "--check", "nothing"]],
)
def test_wrong_use_is_exit_3(node: Node, argv: list[str]) -> None:
    assert program.main(argv, node.probe) == 3


def test_a_recheck_gives_way_before_it_starts_a_job(
    node: Node, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = node.root / "ran"
    node.command("sinfo", "echo 'n1|workers|idle'")
    node.command("scontrol", "exit 1")
    node.command("scancel", f'echo "scancel $*" >>{ran}')
    node.command("srun", f'echo "srun $*" >>{ran}')
    node.command("squeue", "echo '12|Resources|train'")
    assert program.main(["cluster", "--run", "r", "--gives-way"], node.probe) == 2
    commands = ran.read_text().splitlines()
    assert [line.split("--name=")[1] for line in commands] == [
        "clusterwright-acceptance",
        "clusterwright-recheck",
    ]
    report = json.loads((node.root / "var/lib/clusterwright/acceptance/runs/r.json").read_text())
    assert report["reason"] == "stopped: job 12 waits for nodes"
    node.command("squeue", "true")
    program.main(["cluster", "--run", "s", "--gives-way"], node.probe)
    (srun,) = [line for line in ran.read_text().splitlines() if line.startswith("srun")]
    assert "--job-name=clusterwright-recheck" in srun
    assert "--nice=2147483645" in srun


@pytest.mark.parametrize(
    ("suspects", "code"), [([], 0), ([{"kind": "path", "names": ["n1", "n2"]}], 1)]
)
def test_a_suspect_path_between_accepted_nodes_is_exit_1(
    node: Node, monkeypatch: pytest.MonkeyPatch, suspects: list[dict[str, object]], code: int
) -> None:
    for name in ("sinfo", "scontrol", "scancel", "squeue"):
        node.command(name, "true")
    nodes = [{"name": name, "verdict": "accepted"} for name in ("n1", "n2")]
    report = {"nodes": nodes, "cluster_checks": [], "suspects": suspects}
    monkeypatch.setattr(cluster_program, "run_cluster", lambda *_, **__: report)
    assert program.main(["cluster", "--run", "r"], node.probe) == code


def test_missing_expectation_is_unknown(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    (node.root / FILE.lstrip("/")).unlink()
    assert program.main(["node"], node.probe) == 2
    assert capsys.readouterr().err == f"error: {FILE} cannot be read\n"


def test_program_runs_from_its_folder(lifecycle: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright_acceptance", "--help"],
        cwd=lifecycle,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "node" in done.stdout

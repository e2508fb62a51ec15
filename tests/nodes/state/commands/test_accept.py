"""`clusterwright accept` on a node: a request to the service, and the report of its run."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import records
from clusterwright_state.commands import accept

from clusterwright.json_output.accept import AcceptOutput
from tests.nodes.state.commands.conftest import Commands, slurm_node
from tests.support import acceptance_of_1024

NODE = {"name": "workers-1", "verdict": "accepted", "checks": [{"id": "clock", "verdict": "pass"}]}


def serve(
    folder: Path, refused: list[dict[str, str]], nodes: list[dict[str, Any]], **more: Any
) -> Any:
    """Answers the next request in a thread; `.asked` is its content, `more` is of the report."""

    def run() -> None:
        requests = folder / "local" / "requests"
        while not (found := [*requests.glob("2*.json")] if requests.exists() else []):
            time.sleep(0.005)
        thread.asked = records.read(found[0])  # type: ignore[attr-defined]
        name = found[0].name
        report = {"status": "ended", "level": "quick", "nodes": nodes, **more}
        records.write(folder / "acceptance" / "runs" / name, report)
        records.write(folder / "local" / "answers" / name, {"done": [], "refused": refused})

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_a_run_is_requested_and_reported(commands: Commands, tmp_path: Path) -> None:
    service = serve(tmp_path, [], [NODE])
    found = commands.answer("accept", "--level=quick", "--nodes=i-workers-1")
    service.join(5)
    AcceptOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(AcceptOutput.model_fields)
    assert service.asked["nodes"] == ["workers-1"]
    assert service.asked["verb"] == "accept"
    assert found["status"] == "ended"
    assert found["exit_code"] == 0
    assert list((tmp_path / "local" / "answers").iterdir()) == []
    again = commands.answer("accept", f"--run={found['run']}")
    assert again["nodes"] == found["nodes"]


def test_rejected_nodes_are_exit_code_1(commands: Commands, tmp_path: Path) -> None:
    serve(tmp_path, [], [{**NODE, "verdict": "rejected", "reason": "one GPU less"}])
    found = commands.answer("accept")
    assert found["exit_code"] == 1
    assert found["nodes"][0]["reason"] == "one GPU less"


def test_a_suspect_is_exit_code_1(commands: Commands, tmp_path: Path) -> None:
    path = {"kind": "path", "names": ["workers-1", "workers-2"], "evidence": "bad 2 times"}
    serve(tmp_path, [], [NODE], suspects=[path])
    found = commands.answer("accept")
    assert (found["exit_code"], found["suspects"]) == (1, [path])


def test_a_test_of_several_nodes_without_a_figure_is_exit_code_2(
    commands: Commands, tmp_path: Path
) -> None:
    row = {"id": "lustre-write", "verdict": "unknown", "reason": "no fio", "mount_path": "/fsx"}
    serve(tmp_path, [], [NODE], cluster_checks=[{**row, "nodes": 2, "value": None}])
    assert commands.answer("accept")["exit_code"] == 2


def test_a_refusal_is_unknown(commands: Commands, tmp_path: Path) -> None:
    serve(tmp_path, [{"node": "", "reason": "the run X has not ended"}], [])
    found = commands.answer("accept")
    assert found["status"] == "refused"
    assert "the run X has not ended" in found["unknown"][0]["reason"]
    assert found["exit_code"] == 2


def test_the_report_of_1024_nodes_is_read(commands: Commands, tmp_path: Path) -> None:
    run = "20261128T000000Z-1024"
    path = tmp_path / "acceptance" / "runs" / f"{run}.json"
    records.write(path, acceptance_of_1024.report(run))
    assert path.stat().st_size > records.LARGEST_BYTES
    found = commands.answer("accept", f"--run={run}", "--wait=0")
    assert (found["status"], found["exit_code"]) == ("ended", 0)
    assert len(found["nodes"]) == acceptance_of_1024.NODES


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"status": "perhaps"}',
        '{"status": "ended", "nodes": {}}',
        '{"status": "ended", "nodes": [{"name": "workers-1"}]}',
        '{"status": "ended", "nodes": [{"name": "n", "verdict": "accepted", "checks": 1}]}',
        '{"status": "ended", "nodes": [], "suspects": ["n1"]}',
        '{"status": "ended", "nodes": [], "cluster_checks": [{"id": "lustre-write"}]}',
    ],
)
def test_a_malformed_report_is_not_called_unfinished(
    commands: Commands, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "acceptance" / "runs" / "20261128T000000Z-bad.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    found = commands.answer("accept", "--run=20261128T000000Z-bad", "--wait=5")
    AcceptOutput.model_validate_json(json.dumps(found))
    assert (found["status"], found["exit_code"]) == ("unknown", 2)
    assert found["unknown"][0]["reason"] == f"its report {path} is not valid"


def test_what_a_run_does_and_takes_is_printed_before_it_starts(
    commands: Commands, tmp_path: Path
) -> None:
    commands.nodes = [slurm_node("workers-1"), slurm_node("workers-2")]
    serve(tmp_path, [], [NODE])
    code, _, err = commands.run("accept", "--level=standard")
    assert code == 0
    assert err.splitlines()[:2] == [
        "Tests 2 nodes at level standard with exclusive jobs of Slurm; running jobs are not "
        "interrupted.",
        "Planned: 13.3 node-minutes, cost unknown on a node.",
    ]
    assert err.splitlines()[2].endswith("waiting for the service")


def test_a_dry_run_starts_nothing(commands: Commands, tmp_path: Path) -> None:
    commands.nodes = [slurm_node("workers-1"), slurm_node("workers-2")]
    found = commands.answer("accept", "--dry-run", "--level=standard")
    AcceptOutput.model_validate_json(json.dumps(found))
    assert found["plan"][0]["nodes"] == 2
    assert found["plan"][0]["seconds"] == 400
    assert found["cost_usd"] is None
    assert found["exit_code"] == 0
    assert not (tmp_path / "local").exists()


def test_other_nodes_name_the_one_that_tests(commands: Commands) -> None:
    commands.setting(administers=False)
    found = commands.answer("accept")
    AcceptOutput.model_validate_json(json.dumps(found))
    assert found["status"] == "refused"
    assert (
        found["unknown"][0]["hint"]
        == "on the controller: sudo /usr/local/bin/clusterwright accept"
    )


def test_without_a_service_nothing_is_waited_for(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.setting(has_service=False)
    found = commands.answer("accept")
    assert found["status"] == "refused"
    assert "no service" in found["unknown"][0]["reason"]
    assert not (tmp_path / "local").exists()
    commands.setting()
    monkeypatch.setattr(accept, "ANSWER_SECONDS", 0.02)
    found = commands.answer("accept")
    assert found["unknown"][0]["hint"] == "systemctl status clusterwright-state"
    assert found["exit_code"] == 2


def test_wrong_use(commands: Commands) -> None:
    for words, message in (
        (("--nodes=no-such",), "no compute node of this name"),
        (("--nodes=,",), "names no node"),
        (("--run=../../x",), "no run has such an id"),
        (("--run=20261128T000000Z", "--dry-run"), "leave out --dry-run"),
    ):
        code, _, err = commands.run("accept", *words)
        assert code == 3, words
        assert message in err
    found = commands.answer("accept", "--run=20261128T000000Z-none", "--wait=0")
    assert found["status"] == "running"
    assert found["exit_code"] == 2

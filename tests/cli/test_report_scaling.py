"""`clusterwright report scaling` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from clusterwright.cli.report_files import MAXIMUM_LOG_BYTES
from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright
from tests.support.goodput_reports import PLAN, START
from tests.support.training_logs import WORLD, WRITERS, Attempt

SPEC = Path(__file__).parents[2] / "configs/examples/p5-2.yaml"


def write(folder: Path, seconds: dict[int, float]) -> None:
    for nodes, step_s in seconds.items():
        text = WRITERS["torchtitan"](Attempt(START, 0, 12, step_s=step_s))
        text = text.replace(f"dp_shard={WORLD}", f"dp_shard={nodes * 8}")
        (folder / f"n{nodes}.log").write_text(text)


def test_sweep(tmp_path: Path) -> None:
    write(tmp_path, {1: 80.0, 2: 41.0, 4: 24.0})
    found = clusterwright("report", "scaling", SPEC, "--logs", tmp_path, "--format", "json")
    assert found.exit_code == 0
    data = json.loads(found.out)
    jsonschema.validate(data, schemas()["report-scaling-output.schema.json"])
    assert (data["knee"], [point["nodes"] for point in data["points"]]) == (4, [1, 2, 4])
    html = tmp_path / "scaling.html"
    text = clusterwright("report", "scaling", SPEC, "--logs", tmp_path, "--html", html).out
    assert "knee: below 90 % from 4 nodes" in text
    assert "<dd>4 nodes<small>first number of nodes below 90.0%</small>" in html.read_text()


def test_one_size_is_no_sweep(tmp_path: Path) -> None:
    write(tmp_path, {2: 41.0})
    assert clusterwright("report", "scaling", SPEC, "--logs", tmp_path).exit_code == 2


def test_acceptance_and_plan_stand_beside_the_sweep(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    write(logs, {1: 80.0, 2: 41.0, 4: 24.0})
    rows = [
        {"instance_type": "p5.48xlarge", "nodes": nodes, "ranks": 8, "size_mib": 1024, "gbs": gbs}
        for nodes, gbs in ((2, 435.0), (4, 280.0))
    ]
    accepted = tmp_path / "accepted.json"
    accepted.write_text(json.dumps({"accepted": rows}))
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN))
    words = ("report", "scaling", SPEC, "--logs", logs, "--acceptance", accepted, "--plan", plan)
    found = json.loads(clusterwright(*words, "--format", "json").out)
    jsonschema.validate(found, schemas()["report-scaling-output.schema.json"])
    assert [(one["nodes"], one["gbs"]) for one in found["acceptance"]] == [(2, 435.0), (4, 280.0)]
    # The plan is for 16 accelerators.
    assert (found["plan"]["nodes"], found["plan"]["mfu"]["verdict"]) == (2, "below")
    html = tmp_path / "scaling.html"
    text = clusterwright(*words, "--html", html).out
    assert "plan: MFU 30.0% to 50.0% on 2 nodes (P10 to P90); measured " in text
    assert "      4        280       64.4%\n" in text
    assert "All-reduce of acceptance" in html.read_text()


def test_acceptance_of_another_type_is_named(tmp_path: Path) -> None:
    write(tmp_path, {1: 80.0, 2: 41.0})
    row = {"instance_type": "p4d.24xlarge", "nodes": 2, "ranks": 16, "size_mib": 8, "gbs": 9.0}
    accepted = tmp_path.parent / "accepted.json"
    accepted.write_text(json.dumps({"accepted": [row]}))
    words = ("report", "scaling", SPEC, "--logs", tmp_path, "--acceptance", accepted)
    found = json.loads(clusterwright(*words, "--format", "json").out)
    assert (found["acceptance"], found["exit_code"]) == ([], 0)
    reason = f"{accepted} has no all-reduce of p5.48xlarge with a bandwidth"
    assert reason in [one["reason"] for one in found["unknown"]]
    assert reason in clusterwright(*words).out


def test_files_without_acceptance_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {1: 80.0, 2: 41.0})
    for name, content in (("plan.json", "{}"), ("text", "x")):
        file = tmp_path.parent / name
        file.write_text(content)
        found = clusterwright("report", "scaling", SPEC, "--logs", tmp_path, "--acceptance", file)
        assert found.exit_code == 3
        assert "--acceptance: " in found.err


def test_plans_of_several_numbers_of_nodes_and_files_of_inspector(tmp_path: Path) -> None:
    logs, inspector = tmp_path / "logs", tmp_path / "nccl"
    logs.mkdir()
    write(logs, {2: 80.0, 4: 48.0})
    plans: list[str | Path] = []
    for nodes in (2, 4):
        estimate = PLAN["estimate"] | {"accelerators": nodes * 8}
        path = tmp_path / f"plan-{nodes}.json"
        path.write_text(json.dumps(PLAN | {"estimate": estimate}))
        plans += ["--plan", path]
    (inspector / "n4").mkdir(parents=True)
    record = {"coll": "ReduceScatter", "coll_msg_size_bytes": 8192, "coll_exec_time_us": 40}
    (inspector / "n4/ip-10-1-0-9-pid7.log").write_text(json.dumps({"coll_perf": record}) + "\n")
    (inspector / "n4/notes.txt").write_text("no record\n")
    (inspector / "n2").mkdir()
    (inspector / "n2/nccl_inspector_metrics_GPU-1.prom").write_text(
        'nccl_collective_exec_time_microseconds{collective="AllGather",message_size="8-9KB"} 40\n'
    )
    words = ("report", "scaling", SPEC, "--logs", logs, *plans, "--inspector", inspector)
    found = clusterwright(*words, "--format", "json")
    data = json.loads(found.out)
    jsonschema.validate(data, schemas()["report-scaling-output.schema.json"])
    assert (found.exit_code, data["knee_of_plan"], data["plan"]["nodes"]) == (0, 2, 2)
    assert all(point["of_predicted"] is not None for point in data["points"])
    assert [(one["nodes"], one["operation"], one["longest"]) for one in data["dominant"]] == [
        (2, None, "AllGather"),
        (4, "ReduceScatter", "ReduceScatter"),
    ]
    reasons = {one["what"]: one["reason"] for one in data["unknown"]}
    assert "the collective that dominates on 2 nodes" in reasons
    assert "on 4 nodes: ReduceScatter takes most time, 100.0%" in clusterwright(*words).out


def test_a_large_file_of_something_else_does_not_end_the_report(tmp_path: Path) -> None:
    logs, inspector = tmp_path / "logs", tmp_path / "nccl"
    for folder in (logs, inspector):
        folder.mkdir()
    write(logs, {1: 80.0, 2: 41.0})
    with (inspector / "core").open("wb") as stream:
        stream.truncate(MAXIMUM_LOG_BYTES + 1)
    record = {"coll": "AllReduce", "coll_msg_size_bytes": 8, "coll_exec_time_us": 4}
    # Larger than what is looked at, with a line that is no record.
    lines = [json.dumps({"coll_perf": record})] * 20_000 + ["x" * 3_000_000]
    (inspector / "n2").mkdir()
    (inspector / "n2/a.log").write_text("\n".join(lines))
    words = ("report", "scaling", SPEC, "--logs", logs, "--inspector", inspector)
    found = clusterwright(*words, "--format", "json")
    assert (found.exit_code, found.err) == (0, "")
    (one,) = json.loads(found.out)["collectives"]
    assert (one["operation"], one["operations"]) == ("AllReduce", 20_000)


def test_a_size_of_any_length_is_no_internal_error(tmp_path: Path) -> None:
    write(tmp_path, {1: 80.0, 2: 41.0})
    inspector = tmp_path / "nccl"
    (inspector / "n2").mkdir(parents=True)
    (inspector / "n2/nccl_inspector_metrics_GPU-1.prom").write_text(
        "nccl_collective_exec_time_microseconds"
        f'{{collective="AllGather",message_size="{"9" * 5000}GB"}} 40\n'
        'nccl_collective_exec_time_microseconds{collective="AllReduce",message_size="1-2GB"} 40\n'
    )
    found = clusterwright("report", "scaling", SPEC, "--logs", tmp_path, "--inspector", inspector)
    assert found.exit_code == 0
    assert "AllReduce" in found.out
    assert "9" * 9 not in found.out


def test_the_examples_of_the_help_keep_their_lines() -> None:
    lines = clusterwright("report", "scaling", "--help").out.splitlines()
    assert all(len(line) <= 100 for line in lines)
    assert "    --inspector sweep-nccl/" in [line.removeprefix("  ") for line in lines]


def test_a_folder_without_files_of_inspector_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {1: 80.0, 2: 41.0})
    words = ("report", "scaling", SPEC, "--logs", tmp_path, "--inspector")
    for folder, said in (
        (tmp_path, "has no file of NCCL Inspector"),
        (tmp_path / "missing", "does not exist"),
    ):
        found = clusterwright(*words, folder)
        assert found.exit_code == 3
        assert said in found.err

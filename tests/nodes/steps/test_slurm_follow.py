"""The step that updates Slurm's files when nodes are added or removed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clusterwright_node.steps import slurm_follow

from tests.nodes.conftest import LIFECYCLE
from tests.nodes.world import World

RESOURCES = "opt/ml/config/resource_config.json"
ONLY = [f"--only={step}" for step in slurm_follow.STEPS]


def with_instances(node: World, change: Callable[[list[dict[str, str]]], None]) -> None:
    """HyperPod's agent adds or removes nodes."""
    path = node.root / RESOURCES
    value: dict[str, Any] = json.loads(path.read_text())
    change(next(g for g in value["InstanceGroups"] if g["Name"] == "workers")["Instances"])
    path.write_text(json.dumps(value))


def unit(node: World, name: str) -> str:
    return (node.root / "etc/systemd/system" / name).read_text()


def test_controller_watches_the_files_of_the_agent(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    run = node.run()
    assert run.statuses()["slurm_follow"] == "applied"
    text = unit(node, slurm_follow.PATH_UNIT)
    assert "PathChanged=/opt/ml/config/resource_config.json" in text
    assert "PathChanged=/opt/slurm/etc/slurm.conf" in text
    assert f"Unit={slurm_follow.SERVICE}" in text
    state = node.state["units"][slurm_follow.PATH_UNIT]
    assert (state["active"], state["enabled"]) == (True, True)
    assert node.run().statuses()["slurm_follow"] == "unchanged"


def test_other_nodes_do_not_watch(world: Callable[..., World]) -> None:
    for node, configuration in (
        ("controller-1", "managed"),
        ("workers-1", "scripted"),
        ("login-1", "scripted"),
    ):
        made = world(node, configuration)
        assert made.run().statuses()["slurm_follow"] == "skipped"
        assert not (made.root / "opt/clusterwright/scripts").exists()


def test_copy_is_complete_and_run_by_the_service(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    copy = node.root / slurm_follow.FOLDER.lstrip("/")
    ours = {path.relative_to(LIFECYCLE) for path in LIFECYCLE.rglob("*.py")}
    ours |= {path.relative_to(LIFECYCLE) for path in LIFECYCLE.glob("*/**/*.json")}
    found = (path for name in ("*.py", "*/**/*.json") for path in copy.glob(f"**/{name}"))
    assert {path.relative_to(copy) for path in found} == ours
    for name in ("cluster.json", "deployment.json", "provisioning_parameters.json"):
        assert (copy / name).read_text() == (node.folder / "inputs" / name).read_text()
    assert f"ExecStart={slurm_follow.PROGRAM}\n" in unit(node, slurm_follow.SERVICE)
    text = (node.root / slurm_follow.PROGRAM.lstrip("/")).read_text()
    arguments = text.partition(" -m clusterwright_node ")[2].partition(" ||")[0].split()
    assert arguments == [
        "--configuration=scripted",
        "--inputs=/opt/clusterwright/scripts",
        *ONLY,
    ]
    # The same command line, with the copy only.
    done = subprocess.run(
        [sys.executable, "-B", "-m", "clusterwright_node", *arguments, "--list"],
        env={"PYTHONPATH": str(copy), "PATH": os.environ["PATH"]},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "slurm_follow" in done.stdout


def test_changes_during_a_run_cause_another(world: Callable[..., World], tmp_path: Path) -> None:
    """systemd loses the events of a path unit whose service runs (systemd/systemd#5770)."""
    node = world("controller-1", "scripted")
    node.run()
    program = node.root / slurm_follow.PROGRAM.lstrip("/")
    assert program.stat().st_mode & 0o777 == 0o755
    files = [tmp_path / "resource_config.json", tmp_path / "slurm.conf"]
    for path in files:
        path.write_text("first\n")
    text = program.read_text().replace("/opt/ml/config/resource_config.json", str(files[0]))
    text = text.replace("/opt/slurm/etc/slurm.conf", str(files[1]))
    command = text[text.index("/usr/bin/env") : text.index(" || exit")]
    stub = tmp_path / "stub"
    stub.write_text(
        f"""#!/bin/sh
echo run >>{tmp_path}/runs
case $(wc -l <{tmp_path}/runs) in
1) echo second >>{files[0]} ;;
2) echo second >>{files[1]} ;;
4) exit 7 ;;
esac
"""
    )
    stub.chmod(0o755)

    def runs() -> tuple[int, int]:
        done = subprocess.run(["sh", "-c", text.replace(command, str(stub))], check=False)
        return done.returncode, len((tmp_path / "runs").read_text().splitlines())

    assert runs() == (0, 3)
    assert runs() == (7, 4)


@pytest.mark.parametrize("agent_writes_slurm_conf", [False, True])
def test_service_adds_and_removes_nodes(
    world: Callable[..., World], agent_writes_slurm_conf: bool
) -> None:
    node = world("controller-1", "scripted")
    agents = (node.root / "opt/slurm/etc/slurm.conf").read_text()
    node.run()
    new = {
        "InstanceName": "workers-4",
        "AgentIpAddress": "169.254.0.34",
        "CustomerIpAddress": "10.1.0.34",
        "InstanceId": "i-0123456789abcde99",
    }
    with_instances(node, lambda instances: instances.append(new))
    if agent_writes_slurm_conf:
        (node.root / "opt/slurm/etc/slurm.conf").write_text(agents)
    run = node.run(only=slurm_follow.STEPS)
    assert run.code == 0, run.last
    assert list(run.statuses()) == [
        "identify", "verify_inputs", "not_built", "slurm_files", "slurm_qos", "slurm_daemons",
    ]  # fmt: skip
    conf = (node.root / "opt/slurm/etc/slurm.conf").read_text()
    assert "10.1.0.34" in conf or "10.1.0.[" in conf
    assert "ip-10-1-0-34" in conf or "ip-10-1-0-[" in conf
    assert ("scontrol", "reconfigure") in run.machine.ran
    again = node.run(only=slurm_follow.STEPS)
    assert set(again.statuses().values()) <= {"unchanged", "skipped"}

    with_instances(node, lambda instances: instances.remove(new))
    run = node.run(only=slurm_follow.STEPS)
    assert run.statuses()["slurm_files"] == "applied"
    assert (node.root / "opt/slurm/etc/slurm.conf").read_text() != conf


def test_incomplete_list_is_refused_and_retried(
    world: Callable[..., World],
) -> None:
    node = world("controller-1", "scripted")
    node.run()
    before = (node.root / "opt/slurm/etc/slurm.conf").read_text()
    whole = (node.root / RESOURCES).read_text()
    (node.root / RESOURCES).write_text(whole[: len(whole) // 2])
    assert node.run(only=slurm_follow.STEPS).code == 3
    assert (node.root / "opt/slurm/etc/slurm.conf").read_text() == before
    assert "Restart=on-failure" in unit(node, slurm_follow.SERVICE)


def test_changed_copy_is_restored(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    copied = node.root / "opt/clusterwright/scripts/clusterwright_node/main.py"
    copied.write_text("")
    assert node.run().statuses()["slurm_follow"] == "applied"
    assert copied.read_text() == Path(LIFECYCLE / "clusterwright_node/main.py").read_text()


def test_unknown_step_is_refused(
    world: Callable[..., World], capsys: pytest.CaptureFixture[str]
) -> None:
    node = world("controller-1", "scripted")
    with pytest.raises(IndexError):  # no line was written
        node.run(only=["slurm_flies"])
    assert capsys.readouterr().err == "unknown step: slurm_flies\n"
    assert not (node.root / "var/lib/clusterwright").exists()

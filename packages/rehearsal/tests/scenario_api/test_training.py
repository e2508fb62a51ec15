"""The emulated training job and its checkpoints."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.scenario_api import training as module
from clusterwright_rehearsal.scenario_api.outcomes import Broken, NotApplicable
from clusterwright_rehearsal.scenario_api.training import (
    Training,
    folders,
    group_of_two,
    partition_of,
    train,
)
from packages.rehearsal.tests.scenario_api.contexts import answering, context

OUTPUT = """start step=0 restart=0 host=a
wrote step=2
wrote step=4
emergency step=5 flushed=yes
start step=5 restart=1 host=b
"""


def training(found: Any, output: str = OUTPUT) -> Training:
    job: Any = SimpleNamespace(
        id="7",
        output=lambda: output,
        show=lambda: {"JobState": "PENDING", "Reason": "Resources"},
        cancel=lambda: None,
    )
    return Training(found, "run-1", "/nvme", "/fsx/checkpoints", job)


class TestOutput:
    def test_starts_and_steps(self, tmp_path: Path) -> None:
        found = training(context(tmp_path))
        assert found.starts() == [
            {"step": "0", "restart": "0", "host": "a"},
            {"step": "5", "restart": "1", "host": "b"},
        ]
        assert (found.steps("wrote"), found.steps("emergency")) == ([2, 4], [5])

    def test_waiting_for_another_start(self, tmp_path: Path) -> None:
        found = training(context(tmp_path))
        found.wait_starts(2, within_s=0)
        with pytest.raises(Broken, match=r"has started 2 times and is PENDING \(Resources\)"):
            found.wait_starts(3, within_s=0)

    def test_the_newest_checkpoint_on_shared_storage(self, tmp_path: Path) -> None:
        cluster = context(tmp_path)
        found = training(cluster)
        answering(cluster, {"cat /fsx/checkpoints/run-1/latest/state": "4\n"})
        assert found.newest() == 4
        found.wait_newest(4, within_s=0)
        with pytest.raises(Broken, match="the newest complete checkpoint is step 4"):
            found.wait_newest(5, within_s=0)
        answering(cluster, {"cat": (1, "")})
        assert found.newest() == 0


class TestFolders:
    def test_those_of_the_service(self, tmp_path: Path) -> None:
        found = context(tmp_path)
        answering(found, {"systemctl cat": "ExecStop=x --local=/nvme/c --shared=/fsx/c\n"})
        assert folders(found, found.node("workers-1")) == ("/nvme/c", "/fsx/c")

    @pytest.mark.parametrize("answer", [(1, ""), (0, "ExecStop=x --local=/nvme/c")])
    def test_nodes_without_copies_skip_the_scenario(
        self, tmp_path: Path, answer: tuple[int, str]
    ) -> None:
        found = context(tmp_path)
        answering(found, {"systemctl cat": answer})
        with pytest.raises(NotApplicable, match="workers-1 copies no checkpoints"):
            folders(found, found.node("workers-1"))


class TestGroups:
    def test_a_group_with_two_nodes(self, tmp_path: Path) -> None:
        assert group_of_two(context(tmp_path)) == "workers"

    @pytest.mark.parametrize(
        ("names", "recovery", "message"),
        [
            (("controller-1", "workers-1"), "automatic", "no compute group has a second node"),
            (("workers-1", "workers-2"), "none", "the spec has node_recovery: none"),
        ],
    )
    def test_otherwise_it_is_skipped(
        self, tmp_path: Path, names: tuple[str, ...], recovery: str, message: str
    ) -> None:
        resilience = SimpleNamespace(node_recovery=recovery)
        with pytest.raises(NotApplicable, match=message):
            group_of_two(context(tmp_path, *names, resilience=resilience))

    def test_the_first_partition_of_a_group(self, tmp_path: Path) -> None:
        partitions = [
            SimpleNamespace(name="a", groups=["login"]),
            SimpleNamespace(name="b", groups=["workers"]),
        ]
        found = context(tmp_path, slurm=SimpleNamespace(partitions=partitions))
        assert partition_of(found, "workers") == "b"
        assert partition_of(found, "other") is None


def test_a_run_is_submitted_with_its_settings(tmp_path: Path) -> None:
    found = context(tmp_path)
    answering(
        found,
        {
            "systemctl cat": "--local=/nvme/c --shared=/fsx/c",
            "cat /proc/sys/kernel/random/uuid": "01234567-89ab\n",
        },
    )
    submitted: dict[str, Any] = {}
    found.submit = lambda script, options: submitted.update(script=script, options=options)
    made = train(found, name="resume", every=3, exclusive=False, options=["--x"])
    assert (made.run, made.local, made.shared) == ("resume-01234567", "/nvme/c", "/fsx/c")
    assert made.folder == "/fsx/c/resume-01234567"
    assert submitted["options"] == ["--requeue", "--mem=100M", "--x"]
    first = submitted["script"].strip().splitlines()[0]
    assert first == "run=resume-01234567 local=/nvme/c shared=/fsx/c every=3"
    assert "@" not in submitted["script"].replace("$@", "")


def test_the_program_writes_checkpoints_and_resumes(tmp_path: Path) -> None:
    local, shared = tmp_path / "local", tmp_path / "shared"
    (shared / "run-1" / "latest").mkdir(parents=True)
    (shared / "run-1" / "latest" / "state").write_text("4\n")
    local.mkdir()
    script = module._PROGRAM
    for name, value in {
        "RUN": "run-1", "LOCAL": local, "SHARED": shared, "EVERY": 2, "FILES": 2,
        "SECONDS": 0.01, "FLUSH": "true",
    }.items():  # fmt: skip
        script = script.replace(f"@{name}@", str(value))
    (shared / "run-1.stop").write_text("")
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, timeout=30
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("start step=4 restart=0 host=")
    assert lines[1:] == ["wrote step=4", "end step=4"]
    written = local / "run-1" / "step-4"
    assert (written / "state").read_text() == "4\n"
    assert (written / "COMPLETE").read_text() == "1 0\n"
    assert (written / "part-2").read_text() == "run run-1 step 4 restart 0 file 2\n"

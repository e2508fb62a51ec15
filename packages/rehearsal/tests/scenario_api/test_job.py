"""A job in Slurm, by what scontrol prints."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_rehearsal.nodes.machines import CommandResult
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.outcomes import Broken


class Cluster:
    """A controller that answers by the beginning of a command."""

    def __init__(self, **answers: str) -> None:
        self.answers = answers
        self.commands: list[str] = []

    @property
    def controller(self) -> Any:
        return self

    def run(self, command: str) -> CommandResult:
        self.commands.append(command)
        text = self.answers.get(command.split(maxsplit=1)[0])
        return CommandResult(0 if text is not None else 1, text or "", "", 0.1)

    def slurm(self, command: str) -> str:
        self.commands.append(command)
        return "a-1\na-2\n"

    def wait_for(self, probe: Any, *, within_s: float) -> float:
        missing = probe()
        if missing is not None:
            raise Broken(f"after {within_s:.0f} s: {missing}")
        return 0.0


def job(**answers: str) -> tuple[Job, Cluster]:
    cluster = Cluster(**answers)
    return Job(cluster, "7", "/fsx/job-7.out"), cluster


def test_fields_of_a_job() -> None:
    found, cluster = job(scontrol="JobId=7 JobState=RUNNING Comment=a=b Odd\n")
    assert found.show() == {"JobId": "7", "JobState": "RUNNING", "Comment": "a=b"}
    assert cluster.commands == ["scontrol --oneliner show job 7"]
    assert found.state == "RUNNING"


def test_a_purged_job_is_unknown() -> None:
    found, _ = job()
    assert (found.show(), found.state, found.hosts) == ({}, "UNKNOWN", [])


class TestFields:
    def test_wait_while_slurmctld_does_not_answer(self) -> None:
        found, cluster = job()
        looks = []

        def wait_for(probe: Any, *, within_s: float) -> float:
            looks.append(probe())
            cluster.answers["scontrol"] = "JobState=RUNNING Restarts=0"
            looks.append(probe())
            return within_s

        cluster.wait_for = wait_for  # type: ignore[method-assign]
        assert found.fields() == {"JobState": "RUNNING", "Restarts": "0"}
        assert looks == ["scontrol shows no job 7", None]

    def test_no_answer_is_a_broken_promise(self) -> None:
        with pytest.raises(Broken, match="after 30 s: scontrol shows no job 7"):
            job()[0].fields()


@pytest.mark.parametrize(
    ("nodes", "hosts"), [("a-[1-2]", ["a-1", "a-2"]), ("(null)", []), ("", [])]
)
def test_hosts_of_a_job(nodes: str, hosts: list[str]) -> None:
    found, cluster = job(scontrol=f"NodeList={nodes}")
    assert found.hosts == hosts
    if hosts:
        assert cluster.commands[-1] == "scontrol show hostnames 'a-[1-2]'"


class TestWait:
    def test_for_a_state(self) -> None:
        job(scontrol="JobState=COMPLETED")[0].wait("COMPLETED", within_s=5)
        job(scontrol="JobState=FAILED")[0].wait("FAILED", within_s=5)

    def test_too_long(self) -> None:
        found, _ = job(scontrol="JobState=PENDING Reason=Resources")
        with pytest.raises(Broken, match=r"after 5 s: job 7 is PENDING \(Resources\)"):
            found.wait("RUNNING", within_s=5)

    @pytest.mark.parametrize("state", ["FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"])
    def test_for_a_job_that_ended_otherwise(self, state: str) -> None:
        found, _ = job(scontrol=f"JobState={state} ExitCode=1:0", cat="boom")
        with pytest.raises(Broken, match=f"job 7 is {state}: exit code 1:0, output 'boom'"):
            found.wait("COMPLETED", within_s=5)


def test_output_and_cancellation() -> None:
    found, cluster = job(cat="text")
    assert found.output() == "text"
    found.cancel()
    assert cluster.commands == ["cat /fsx/job-7.out", "scancel 7"]

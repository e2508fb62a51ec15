"""`clusterwright diagnose` with failures injected into a deployment on the local AWS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import LogLines, NodeFault, Override
from tests.stacks.deployment import Account, bootstrapped
from tests.support.command_line import clusterwright
from tests.support.diagnosed_cluster import BASE, diagnose, publish
from tests.support.rich_specs import ACCOUNT
from tests.support.synthesis import Assembly

Synth = Callable[[str | Path], Assembly]
HOW_TO = Path(__file__).parents[2] / "docs/how-to"
LUSTRE_LINE = "mount.lustre: mount a at /fsx failed: No such device"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("diagnose") / "test.yaml"
    path.write_text(json.dumps(BASE))
    return path


@pytest.fixture
def deployed(spec: Path, synth: Synth) -> Iterator[Any]:
    """A healthy cluster whose controller publishes its state."""
    with local_aws() as aws:
        account = bootstrapped()
        account.deploy(synth(spec))
        publish(account, spec)
        yield aws


def causes(data: dict[str, Any]) -> list[str]:
    return [finding["signature"] for finding in data["findings"]]


def test_healthy_cluster_has_no_findings(deployed: Any, spec: Path) -> None:
    data = diagnose(spec)
    assert (data["findings"], data["unknown"], data["exit_code"]) == ([], [], 0)
    assert "SageMaker ListClusterNodes: 5 nodes" in data["read"]
    answer = clusterwright("diagnose", spec, "deploy")
    assert (answer.exit_code, answer.out.splitlines()[-1]) == (0, "no failure found")


def test_broken_nodes_and_services_are_named(deployed: Any, spec: Path) -> None:
    deployed.inject(
        overrides=[
            Override(
                service="fsx",
                operation="DescribeFileSystems",
                each="FileSystems",
                match={"FileSystemType": "LUSTRE"},
                set={"Lifecycle": "MISCONFIGURED", "FailureDetails.Message": "The key is gone."},
            )
        ]
    )
    assert causes(diagnose(spec)) == ["file-system-state"]
    deployed.inject(
        overrides=[],
        node_faults=[
            NodeFault(group="workers", number=4, at="running", outcome="replace"),
            NodeFault(
                group="workers",
                number=4,
                at="replacement",
                outcome="lifecycle-scripts",
                log_lines={"LifecycleConfig": [LUSTRE_LINE]},
            ),
        ],
    )
    deployed.clock.advance(600)
    data = diagnose(spec, "deploy")
    assert causes(data) == ["lustre-mount"]
    assert "kernel module" in data["findings"][0]["cause"]
    texts = " ".join(e["text"] for e in data["findings"][0]["evidence"])
    assert "Lifecycle scripts did not run successfully" in texts


def test_log_lines_of_a_node(deployed: Any, spec: Path) -> None:
    line = "NVRM: Xid (PCI:0000:b9:00): 79, GPU has fallen off the bus."
    stream = "SagemakerHealthMonitoringAgent/workers/i-0123456789abcdef0"
    group = "/aws/sagemaker/Clusters/test/*"
    lines = LogLines(group=group, stream=stream, lines=[line], at="-10m", account=ACCOUNT)
    deployed.inject(log_lines=[lines])
    (finding,) = diagnose(spec, "node", "i-0123456789abcdef0")["findings"]
    assert finding["signature"] == "xid-replace"
    assert finding["next"][0].startswith(f"clusterwright node replace {spec} i-0123456789abcdef0 ")
    data = diagnose(spec, "node", "workers-9")
    assert (data["exit_code"], [u["what"] for u in data["unknown"]]) == (2, ["the node workers-9"])


def test_jobs_and_nodes_of_the_published_state(deployed: Any, spec: Path, tmp_path: Path) -> None:
    job = {"id": "99", "state": "FAILED", "exit_code": "1:0", "nodes": ["workers-1"]}
    node = {"name": "workers-1", "states": ["IDLE", "DRAIN"], "reason": "Low RealMemory"}
    publish(Account(ACCOUNT), spec, nodes=[node], ended=[job])
    assert causes(diagnose(spec, "node", "workers-1")) == ["node-hardware"]
    assert causes(diagnose(spec, "job", "99")) == ["node-hardware", "job-exit"]
    held = {"name": "workers-2", "states": ["IDLE"], "reservation": "clusterwright_acceptance"}
    spare = {
        "name": "workers-4",
        "states": ["IDLE"],
        "reservation": "clusterwright_spares_workers",
    }
    nodes = [node, held, {"name": "workers-3"}, spare]
    publish(Account(ACCOUNT), spec, nodes=nodes, ended=[job])
    assert causes(diagnose(spec, "node", "workers-2")) == ["held-for-acceptance"]
    healthy = diagnose(spec, "node", "workers-3")
    assert (healthy["exit_code"], healthy["findings"], healthy["unknown"]) == (0, [], [])
    paid = diagnose(spec, "node", "workers-4")
    assert (paid["exit_code"], causes(paid), paid["unknown"]) == (0, ["reserved-as-spare"], [])
    assert paid["findings"][0]["severity"] == "info"
    log = tmp_path / "slurm-99.out"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n")
    data = diagnose(spec, "job", "99", "--log", log)
    assert causes(data) == ["gpu-memory", "node-hardware"]
    assert diagnose(spec, "job", "1")["exit_code"] == 2


def test_controller_that_is_silent_is_reported(deployed: Any, spec: Path) -> None:
    publish(Account(ACCOUNT), spec, written_at="2026-01-01T00:00:00Z")
    data = diagnose(spec)
    assert causes(data) == ["controller-silent"]
    assert [u["what"] for u in data["unknown"]] == ["the scheduler's state"]


@pytest.mark.parametrize(
    ("world", "signature", "words"),
    [
        ({"quotas": {"sagemaker/L-8762A75F": 0}}, "quota", "ml.p5.48xlarge for cluster usage"),
        ({"quotas": {"fsx/L-8F1B9C74": 100}}, "quota", "L-8F1B9C74"),
        ({"new_subnets": {"free_addresses": 5}}, "subnet-addresses", "free IP addresses"),
        (
            {
                "faults": [
                    {
                        "service": "fsx",
                        "operation": "CreateFileSystem",
                        "error": "BadRequest",
                        "message": "The file system cannot be created because the provided "
                        "security groups do not permit Lustre LNET network traffic on port 988",
                    }
                ]
            },
            "lustre-ports-closed",
            "988",
        ),
    ],
)
def test_failed_deployments(
    world: dict[str, Any], signature: str, words: str, spec: Path, synth: Synth
) -> None:
    with local_aws(**world):
        with pytest.raises(AssertionError, match="ROLLBACK_COMPLETE"):
            bootstrapped().deploy(synth(spec))
        data = diagnose(spec, "deploy")
    assert causes(data) == [signature]
    (finding,) = data["findings"]
    assert words in finding["cause"]
    assert any("clusterwright check" in command for command in finding["next"])


def test_denied_reads_are_unknown_with_the_action(spec: Path) -> None:
    faults = [{"service": "*", "operation": "*", "error": "AccessDenied", "message": "no"}]
    with local_aws(faults=faults):
        data = diagnose(spec)
    assert (data["findings"], data["exit_code"]) == ([], 2)
    hints = " ".join(u["hint"] for u in data["unknown"])
    for action in ("cloudformation:ListStacks", "sagemaker:ListClusterNodes", "s3:GetObject"):
        assert f"allow {action}" in hints


def test_account_without_the_cluster_is_unknown(spec: Path) -> None:
    with local_aws():
        data = diagnose(spec, "deploy")
    assert data["exit_code"] == 2
    assert "no stack of test exists" in data["unknown"][0]["reason"]


def test_files_without_an_account(spec: Path, tmp_path: Path) -> None:
    log = tmp_path / "dmesg"
    log.write_text("nothing to see\n")
    assert diagnose(spec, "--offline", "--log", log)["exit_code"] == 0
    log.write_text("Out of memory: Killed process 1 (python)\n")
    assert causes(diagnose(spec, "--offline", "--log", log)) == ["host-memory"]
    jobs = tmp_path / "jobs.json"
    jobs.write_text('{"jobs": [{"job_id": 7, "state": ["TIMEOUT"]}]}')
    found = causes(diagnose(spec, "--offline", "--log", log, "--sacct", jobs))
    assert found == ["host-memory", "job-time-limit"]


def test_kernel_log_of_a_node(spec: Path, tmp_path: Path) -> None:
    log = tmp_path / "dmesg.txt"
    fault = "kernel: NVRM: Xid (PCI:0000:b9:00): 119, pid=77, Timeout waiting for RPC from GSP0!"
    log.write_text(f"Nov 23 08:00:01 workers-17 {fault}\nNov 23 08:00:02 workers-18 {fault}\n")
    data = diagnose(spec, "node", "workers-17", "--offline", "--log", log)
    assert causes(data) == ["xid-reboot"]
    assert data["findings"][0]["resources"] == ["workers-17"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("node",), "node needs a name"),
        (("deploy", "x"), "deploy takes no name"),
        (("job", "train"), "'train' is not the id of a Slurm job"),
        (("--since", "soon"), "is not a span"),
        (("--offline",), "--offline reads no account"),
    ],
)
def test_wrong_use(spec: Path, arguments: tuple[str, ...], words: str) -> None:
    answer = clusterwright("diagnose", spec, *arguments)
    assert answer.exit_code == 3
    assert words in answer.err


def test_policy_is_enough_where_iam_is_enforced(spec: Path, synth: Synth) -> None:
    """Every call of the command is in the policy that it prints."""
    from clusterwright.aws.errors import iam_action_of
    from clusterwright.aws.session import AwsSession
    from clusterwright.preflight.iam_policy import WITHOUT_PERMISSION

    answer = clusterwright("diagnose", spec, "--iam-policy")
    statements = json.loads(answer.out)["Statement"]
    granted = {action for statement in statements for action in statement["Action"]}
    called: set[str] = set()

    def note(session: AwsSession, service: str, operation: str) -> None:
        called.add(iam_action_of(service, operation))

    with local_aws(), pytest.MonkeyPatch.context() as patch:
        account = bootstrapped()
        account.deploy(synth(spec))
        for name in ("call", "pages"):
            usual = getattr(AwsSession, name)

            def noted(
                self: AwsSession, service: str, operation: str, _usual: Any = usual, **rest: Any
            ) -> Any:
                note(self, service, operation)
                return _usual(self, service, operation, **rest)

            patch.setattr(AwsSession, name, noted)
        diagnose(spec)
    assert len(called) > 10
    assert called - WITHOUT_PERMISSION <= granted


def test_causes_on_the_pages_are_what_the_command_prints() -> None:
    from clusterwright.diagnosis.model import Diagnosis, Evidence
    from clusterwright.render.diagnosis import diagnosis_text
    from tests.diagnosis.made import findings, item

    def reserved(node: str, name: str) -> Evidence:
        return item("reservation", f"in the reservation {name}", node=node)

    quota = (
        "The account-level service limit 'ml.p5.48xlarge for cluster usage' is 8 Instances, with "
        "current utilization of 0 Instances and a request delta of 64 Instances."
    )
    lost = "NVRM: Xid (PCI:0000:b9:00): 79, pid=1, GPU has fallen off the bus."
    gsp = "NVRM: Xid (PCI:0000:b9:00): 119, pid=77, Timeout waiting for RPC from GSP0!"
    for page, given in (
        ("a-deployment-failed", (item("stack-event", quota, failed=True, resource="x"),)),
        ("a-job-hangs", (item("log", lost, node="workers-17"),)),
        (
            "a-node-is-sick",
            (
                item("log", gsp, node="workers-17"),
                item("scheduler-node", "Kill task failed", node="workers-17", failed=True),
            ),
        ),
        ("a-node-is-sick", (reserved("workers-18", "clusterwright_acceptance"),)),
        ("a-node-is-sick", (reserved("workers-19", "clusterwright_spares_workers"),)),
    ):
        lines = diagnosis_text(Diagnosis(findings(*given), (), ())).splitlines()
        text = (HOW_TO / f"{page}.md").read_text().replace("\n   ", "\n")
        assert lines[0] in text
        for command in (line for line in lines if line.startswith("  next: ")):
            assert command in text


@pytest.mark.parametrize(("caller", "cause"), [("MPI_Init", "in MPI_Init"), ("main", "crashed")])
def test_what_crashed_is_known_from_its_callers(spec: Path, caller: str, cause: str) -> None:
    log = spec.with_name("slurm-7.out")
    frames = ("mca_pml_ob1_recv_frag_callback_match", "opal_progress", caller)
    log.write_text(
        "1: [ip-10-1-0-32:2723 :0:2723] Caught signal 11 (Segmentation fault: not mapped)\n"
        + "".join(f"1: {n:2}  /lib/lib.so({name}+0xaa) [0x7ff]\n" for n, name in enumerate(frames))
        + "srun: error: ip-10-1-0-32: task 1: Segmentation fault (core dumped)\n"
    )
    (found,) = diagnose(spec, "--offline", "--log", log)["findings"]
    assert cause in found["cause"]

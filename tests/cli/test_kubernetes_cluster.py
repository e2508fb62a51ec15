"""`clusterwright accept` and `node` with an EKS cluster, and a kubectl that answers.

The local AWS has EKS's API and no Kubernetes API: kubectl is a program of this test, with the
nodes of the local AWS. The controller's program is tested in tests/nodes/acceptance.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cli import accept_follow
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed, deployed_cluster
from tests.support.rich_specs import ACCOUNT, EKS_MINIMAL, changed
from tests.support.synthesis import Assembly

IMAGE = f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/tests@sha256:{'0' * 64}"
TAINT = {"key": "clusterwright/acceptance", "value": "pending", "effect": "NO_SCHEDULE"}
KUBECTL = """#!{python}
import json, pathlib, sys
folder = pathlib.Path({folder!r})
words = sys.argv[1:]
kinds = ("config", "nodes", "jobs", "cronjob", "configmap", "job")
if "create" in words:
    (folder / "created.json").write_text(sys.stdin.read())
    sys.exit()
verb = next((verb for verb in ("cordon", "uncordon") if verb in words), None)
if verb is not None and (folder / "forbidden").exists():
    sys.exit("Error from server (Forbidden): nodes cannot be patched")
if verb is not None:
    with (folder / "cordons").open("a") as file:
        print(verb, words[-1], file=file)
    sys.exit()
kind = next(kind for kind in kinds if kind in words)
if kind == "configmap" and not (folder / "created.json").exists():
    sys.exit()
file = folder / (kind + ".json")
if file.exists():
    print(file.read_text())
"""


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Assembly]
) -> Iterator[Deployed]:
    path = tmp_path_factory.mktemp("deployed") / "test.yaml"
    system = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
    spec = changed(EKS_MINIMAL, protection="destroy", acceptance={"image": IMAGE, "hold": True})
    spec["compute"] = [system, *spec["compute"]]
    path.write_text(json.dumps(spec))
    assembly = synth(path)
    with deployed_cluster(path, assembly) as found:
        yield found


@pytest.fixture(autouse=True)
def cluster(deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A kubectl whose cluster has the local AWS's nodes, all held; their instance ids."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(accept_follow, "_POLL_SECONDS", 0.05)
    program = tmp_path / "kubectl"
    program.write_text(KUBECTL.format(python=sys.executable, folder=os.fspath(tmp_path)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    endpoint = deployed.account.client("eks").describe_cluster(name="test")["cluster"]["endpoint"]
    found = workers(deployed)
    put(
        tmp_path,
        config={
            "clusters": [{"name": "c", "cluster": {"server": endpoint}}],
            "contexts": [{"name": "test", "context": {"cluster": "c"}}],
        },
        nodes={"items": [node(name, instance) for name, instance in found.items()]},
        jobs={"items": []},
    )
    return found


def workers(deployed: Deployed) -> dict[str, str]:
    """Instance ids of the workers that run, by name."""
    running = [{"Name": "instance-state-name", "Values": ["running"]}]
    found = {}
    answer = deployed.account.client("ec2").describe_instances(Filters=running)
    for instance in (one for each in answer["Reservations"] for one in each["Instances"]):
        tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
        if "workers" in tags.get("eks:nodegroup-name", ""):
            found[instance["PrivateDnsName"]] = instance["InstanceId"]
    return found


def put(folder: Path, **answers: Any) -> None:
    for kind, answer in answers.items():
        (folder / f"{kind}.json").write_text(json.dumps(answer))


def node(name: str, instance: str, *, held: bool = True, boot: str = "a") -> dict[str, Any]:
    taint = {"key": "clusterwright/acceptance", "value": "pending"}
    return {
        "metadata": {"name": name, "labels": {"clusterwright.dev/group": "workers"}},
        "spec": {
            "providerID": f"aws:///us-east-1a/{instance}",
            "taints": [taint] if held else [],
        },
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"bootID": boot},
        },
    }


class Cluster:
    """Each pause of `clusterwright node` is a turn of Kubernetes: nodes are there and accepted."""

    def __init__(self, deployed: Deployed, folder: Path, boot: str) -> None:
        self.deployed, self.folder, self.boot = deployed, folder, boot
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        there = workers(self.deployed).items()
        nodes = [node(name, one, held=False, boot=self.boot) for name, one in there]
        put(self.folder, nodes={"items": nodes})


def act(deployed: Deployed, verb: str, name: str, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the result of one node."""
    given = ("--because", "xid 79", "--yes", "--format", "json", *words)
    found = clusterwright("node", verb, deployed.path, name, *given)
    (one,) = json.loads(found.out)["nodes"]
    return found.exit_code, one


def rendered(deployed: Deployed) -> dict[str, Any]:
    """The controller of the rendered manifests."""
    found = clusterwright(
        "render", "kubernetes", deployed.path, "--part", "acceptance", "--format", "json"
    )
    assert found.exit_code == 0, found.err
    (one,) = [
        each
        for each in json.loads(found.out)["manifests"]
        if (each["kind"], each["metadata"]["name"]) == ("CronJob", "acceptance")
    ]
    return dict(one)


def report(names: list[str], verdict: str) -> dict[str, Any]:
    content = {
        "schema_version": 1,
        "run": "r",
        "level": "quick",
        "status": "ended",
        "started_at": "2026-11-23T08:00:00Z",
        "nodes": [{"name": name, "verdict": verdict} for name in names],
    }
    packed = gzip.compress(json.dumps(content).encode())
    return {"binaryData": {"report.json.gz": base64.b64encode(packed).decode()}}


def test_nodes_are_tainted_when_they_are_created(deployed: Deployed) -> None:
    eks = deployed.account.client("eks")
    names = eks.list_nodegroups(clusterName="test")["nodegroups"]
    taints = {
        one["labels"]["clusterwright.dev/group"]: one.get("taints") or []
        for name in names
        for one in [eks.describe_nodegroup(clusterName="test", nodegroupName=name)["nodegroup"]]
    }
    assert taints["workers"] == [TAINT]
    assert [one for group, one in taints.items() if group != "workers" and one] == []


def test_held_nodes_are_not_accepted_in_status(
    deployed: Deployed, cluster: dict[str, str]
) -> None:
    found = clusterwright("status", deployed.path, "--format", "json")
    rows = {one["name"]: one["accepted"] for one in json.loads(found.out)["nodes"]}
    assert {name: rows[name] for name in cluster} == dict.fromkeys(cluster, "no")


def test_a_history_of_faults_proposes_a_replacement(
    deployed: Deployed, cluster: dict[str, str], tmp_path: Path
) -> None:
    sick, *others = cluster
    reason = "faults on 3 days of the last 28"
    past = {"instance_id": cluster[sick], "is_lemon": True, "advice": "replace", "reason": reason}
    items = {name: node(name, instance, held=False) for name, instance in cluster.items()}
    items[sick]["metadata"]["annotations"] = {"clusterwright.dev/history": json.dumps(past)}
    put(tmp_path, nodes={"items": [*items.values()]})
    found = clusterwright("status", deployed.path, "--format", "json")
    texts = [json.dumps(one) for one in json.loads(found.out)["findings"]]
    (lemon,) = [text for text in texts if "node-lemon" in text]
    assert f"{sick} ({reason})" in lemon
    found = clusterwright("diagnose", deployed.path, "node", sick, "--format", "json")
    assert found.exit_code == 1, found.err
    (only,) = json.loads(found.out)["findings"]
    assert reason in only["cause"]
    assert f"node replace {deployed.path} {sick}" in only["next"][0]
    words = (sick, "--because", "sick", "--format", "json")
    found = clusterwright("node", "reboot", deployed.path, *words)
    assert f"{sick}: its history says to replace it: {reason}" in found.out + found.err
    found = clusterwright("diagnose", deployed.path, "node", others[0], "--format", "json")
    assert json.loads(found.out)["findings"] == []


@pytest.mark.parametrize(("verdict", "code"), [("accepted", 0), ("rejected", 1)])
def test_a_run_is_a_job_whose_report_is_read(
    deployed: Deployed, cluster: dict[str, str], tmp_path: Path, verdict: str, code: int
) -> None:
    put(tmp_path, cronjob=rendered(deployed), configmap=report([*cluster], verdict))
    first = next(iter(cluster))
    found = clusterwright("accept", deployed.path, "--nodes", cluster[first], "--format", "json")
    assert found.exit_code == code, found.err
    assert {one["verdict"] for one in json.loads(found.out)["nodes"]} == {verdict}
    job = json.loads((tmp_path / "created.json").read_text())
    args = job["spec"]["template"]["spec"]["containers"][0]["args"]
    assert f"--node={first}" in args
    assert "--held" not in args
    assert "--hold" in args


def test_without_the_manifests_it_says_what_to_apply(deployed: Deployed) -> None:
    found = clusterwright("accept", deployed.path)
    assert found.exit_code == 2, found.err
    assert f"clusterwright render kubernetes {deployed.path} --part acceptance" in found.out


def test_without_kubectl_nothing_is_started(deployed: Deployed, tmp_path: Path) -> None:
    put(tmp_path, config={})
    found = clusterwright("accept", deployed.path)
    assert found.exit_code == 2, found.err
    assert "aws eks update-kubeconfig --name test --region us-east-1" in found.out
    assert not (tmp_path / "created.json").exists()


def test_nodes_are_cordoned(deployed: Deployed, cluster: dict[str, str], tmp_path: Path) -> None:
    name = next(iter(cluster))
    assert act(deployed, "drain", name)[0] == 0
    assert (tmp_path / "cordons").read_text() == f"cordon {name}\n"
    drained = node(name, cluster[name], held=False)
    drained["spec"]["unschedulable"] = True
    put(tmp_path, nodes={"items": [drained]})
    assert act(deployed, "resume", cluster[name])[0] == 0
    assert (tmp_path / "cordons").read_text() == f"cordon {name}\nuncordon {name}\n"


def test_an_instance_is_replaced_by_its_node_group(
    deployed: Deployed, cluster: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(iter(cluster))
    monkeypatch.setattr("clusterwright.cli.node_follow.time", Cluster(deployed, tmp_path, "a"))
    code, found = act(deployed, "replace", name)
    assert (code, found["outcome"], found["instance_id"]) == (0, "done", cluster[name]), found
    now = set(workers(deployed).values())
    assert now - set(cluster.values()) == {found["new_instance_id"]}
    assert set(cluster.values()) - now == {cluster[name]}
    # The new node has another name, and is not cordoned.
    assert (tmp_path / "cordons").read_text() == f"cordon {name}\n"


def test_a_node_boots_again(
    deployed: Deployed, cluster: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(iter(cluster))
    turns = Cluster(deployed, tmp_path, "b")
    monkeypatch.setattr("clusterwright.cli.node_follow.time", turns)
    code, found = act(deployed, "reboot", name)
    assert (code, found["outcome"]) == (0, "done"), found
    assert turns.now > 0
    assert (tmp_path / "cordons").read_text() == f"cordon {name}\nuncordon {name}\n"


def test_who_may_not_cordon_still_replaces(
    deployed: Deployed, cluster: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, *_ = cluster
    (tmp_path / "forbidden").touch()
    monkeypatch.setattr("clusterwright.cli.node_follow.time", Cluster(deployed, tmp_path, "a"))
    given = ("--because", "xid 79", "--yes", "--format", "json")
    found = clusterwright("node", "replace", deployed.path, first, second, *given)
    rows = json.loads(found.out)["nodes"]
    assert [row["outcome"] for row in rows] == ["done", "done"], found.out
    assert len({row["new_instance_id"] for row in rows}) == 2
    assert "The nodes are cordoned first" in found.err
    assert "Slurm" not in found.err
    assert f"{first}: not drained: kubectl failed: Error from server (Forbidden)" in found.err

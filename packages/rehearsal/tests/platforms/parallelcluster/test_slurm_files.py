"""ParallelCluster's part of a rehearsal, without machines: places, Slurm's files, verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import rehearsal, runs
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.parallelcluster import slurm_files
from clusterwright_rehearsal.platforms.parallelcluster.node import head_node_failure
from clusterwright_rehearsal.platforms.parallelcluster.unsupported_scenarios import REASONS
from clusterwright_rehearsal.rehearsal import mode_of
from clusterwright_rehearsal.scenario_loader import scenarios
from clusterwright_rehearsal.verdict import Promise

ROOT = Path(__file__).resolve().parents[5]

CONFIGURATION: dict[str, Any] = {
    "HeadNode": {},
    "Scheduling": {
        "Scheduler": "slurm",
        "SlurmSettings": {
            "ScaledownIdletime": "15",
            "CustomSlurmSettings": [
                {"SlurmdTimeout": "300"},
                {"PrologFlags": "Alloc,Contain"},
                {"PriorityType": "priority/multifactor"},
            ],
        },
        "SlurmQueues": [
            {
                "Name": "train",
                "JobExclusiveAllocation": "true",
                "CustomSlurmSettings": {"MaxTime": "60"},
                "ComputeResources": [
                    {
                        "Name": "p5",
                        "InstanceType": "p5.48xlarge",
                        "MinCount": "2",
                        "MaxCount": "5",
                        "Efa": {"Enabled": "true"},
                    }
                ],
            },
            {
                "Name": "cpu",
                "ComputeResources": [
                    {
                        "Name": "m5",
                        "InstanceType": "m5.2xlarge",
                        "MinCount": "0",
                        "MaxCount": "1",
                        "DisableSimultaneousMultithreading": "true",
                    }
                ],
            },
        ],
    },
}


def files() -> dict[str, str]:
    return slurm_files.files("prod", CONFIGURATION, "ip-10-0-0-4", "10.0.0.4")


def keys(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_nodes_have_parallelclusters_names_and_the_catalogues_sizes() -> None:
    lines = files()["pcluster/slurm_parallelcluster_train_partition.conf"].splitlines()
    static, dynamic, node_set, partition = lines
    assert static.startswith("NodeName=train-st-p5-[1-2] CPUs=192 RealMemory=")
    assert "Feature=static,p5.48xlarge,p5,efa,gpu" in static
    assert " Weight=1 " in static
    assert " Weight=1000 " in dynamic, "jobs take nodes that run first"
    assert static.endswith("Gres=gpu:h100:8")
    assert dynamic.startswith("NodeName=train-dy-p5-[1-3] ")
    assert node_set == "NodeSet=train_nodes Nodes=train-st-p5-[1-2],train-dy-p5-[1-3]"
    assert partition == (
        "PartitionName=train Nodes=train_nodes MaxTime=60 State=UP OverSubscribe=EXCLUSIVE"
        " Default=YES"
    )
    cpu = files()["pcluster/slurm_parallelcluster_cpu_partition.conf"]
    assert cpu.startswith("NodeName=cpu-dy-m5-[1-1] CPUs=4 "), "one thread of each core"
    assert "Default" not in cpu


def test_static_nodes_are_never_switched_off_and_the_others_are() -> None:
    included = keys(files()["slurm_parallelcluster.conf"])
    assert included["SuspendExcNodes"] == "train-st-p5-[1-2]"
    assert included["SuspendTime"] == "900"
    assert included["SlurmctldHost"] == "ip-10-0-0-4(10.0.0.4)"


def test_what_is_changed_for_a_rehearsal_stands_last_and_once() -> None:
    found = files()
    main = found["slurm.conf"]
    custom = keys(found["pcluster/custom_slurm_settings_include_file_slurm.conf"])
    assert custom == {
        "SlurmdTimeout": slurm_files.COMPRESSED["SlurmdTimeout"],
        "PriorityType": "priority/multifactor",
    }
    _, _, changed = main.partition("# What a rehearsal changes.\n")
    assert keys(changed).keys() >= slurm_files.CANNOT.keys()
    assert keys(changed)["MessageTimeout"] == slurm_files.COMPRESSED["MessageTimeout"]
    for key in (*slurm_files.CANNOT, *slurm_files.COMPRESSED):
        assert sum(line.startswith(key + "=") for line in main.splitlines()) <= 1, key
    assert keys(main)["Prolog"] == "/opt/slurm/etc/scripts/prolog.d/*"


def test_the_words_of_a_head_node_that_fails_are_those_that_pcluster_looks_for() -> None:
    """`models/cluster_resources.py` of aws-parallelcluster 3.16.1 finds the failure's code by
    them.
    """
    text = head_node_failure("Failed to execute OnNodeConfigured script 1, return code: 1.")
    assert "Failed to execute OnNodeConfigured script" in text
    assert "/var/log/cfn-init.log" in text


def test_every_scenario_that_is_left_out_says_why() -> None:
    ours = {scenario.name for scenario in scenarios() if "parallelcluster" in scenario.modes}
    assert ours >= {
        "custom-action-fails",
        "first-boot",
        "instance-replaced",
        "people",
        "second-run",
        "users-updated",
    }
    for scenario in scenarios():
        if scenario.name not in ours:
            reason = rehearsal._why_not_for("parallelcluster", scenario)
            assert reason == f"it is not for ParallelCluster: {REASONS[scenario.name]}"
            continue
        assert scenario.name not in REASONS
        if scenario.modes == ("parallelcluster",):
            assert rehearsal._why_not_for("managed", scenario) == "it is about ParallelCluster"


def request(config: str, state: Path, **more: Any) -> rehearsal.Request:
    spec = load_cluster(ROOT / config)
    return rehearsal.Request(config, spec.cluster, spec.resolved(), state=state, **more)


def test_scripts_of_hyperpod_are_refused(tmp_path: Path) -> None:
    asked = request("configs/dev-parallelcluster.yaml", tmp_path, lifecycle=tmp_path)
    with pytest.raises(RehearsalError, match="for lifecycle scripts of HyperPod"):
        rehearsal.rehearse(asked, lambda _: None)


def cluster_of(config: str) -> Cluster:
    return load_cluster(ROOT / config).cluster


def test_modes_follow_the_platform() -> None:
    assert mode_of(cluster_of("configs/dev.yaml")) == "managed"
    assert mode_of(cluster_of("configs/dev-parallelcluster.yaml")) == "parallelcluster"


class NoEngine:
    """In the place of the engine: an address that nobody asks."""

    url = "http://localhost:9"

    def __init__(self, run: runs.Run, image: Path | None, **_: Any) -> None:
        assert image is None, "no image is built for nodes that do not come"
        self.run = run

    def ask(self, do: str) -> list[Any]:
        assert do == "nodes"
        return []

    def close(self) -> list[str]:
        return []


@pytest.mark.parametrize("works", [True, False])
@pytest.mark.parametrize("config", ["configs/dev-hyperpod-eks.yaml", "configs/dev-eks.yaml"])
def test_of_kubernetes_the_deployment_is_rehearsed_and_nodes_stay_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, works: bool
) -> None:
    deployed: list[str] = []

    def deploy(_: Any, __: Any, spec: Any, findings: Any, ___: Any) -> bool:
        deployed.append(spec["platform"])
        status = "held" if works else "broken"
        promise = Promise("deployment.deploys", "deployment", "it deploys", status, 1.0, None)
        findings.promises.append(promise)
        return works

    monkeypatch.setattr(rehearsal, "EngineHandle", NoEngine)
    monkeypatch.setattr(rehearsal, "_deploy", deploy)
    asked = request(config, tmp_path)
    verdict = rehearsal.rehearse(asked, lambda _: None)
    assert deployed == [asked.cluster.platform]
    found = {promise.id: promise for promise in verdict.promises}
    assert verdict.nodes == ()
    assert verdict.slurm is None
    if not works:
        assert found.keys() == {"deployment.deploys"}
        assert verdict.exit_code == 1
        return
    assert found.keys() == {"deployment.deploys", "nodes.ready"}
    assert found["nodes.ready"].status == "unknown"
    assert f"nodes of {asked.cluster.platform} are not emulated: no Kubernetes control plane" in (
        found["nodes.ready"].reason or ""
    )
    assert {one.reason for one in verdict.skipped} == {"it is about Slurm"}
    assert {one.what for one in verdict.skipped} == {one.name for one in scenarios()}
    assert verdict.exit_code == 2


def test_without_nodes_parallelcluster_leaves_unknown_what_it_would_have_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = cluster_of("configs/dev-parallelcluster.yaml")
    mine = rehearsal._for_this(cluster, scenarios())
    assert {scenario.name for scenario in mine} >= {"first-boot", "people"}
    assert "gpu-lost" not in {scenario.name for scenario in mine}
    monkeypatch.setattr(rehearsal, "why_no_nodes", lambda: "emulated nodes need root")
    assert rehearsal.why_not_this_platform(cluster) is None

"""Slurm files of ParallelCluster: nodes, partitions, and what a rehearsal changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright_rehearsal.platforms.parallelcluster import slurm_files

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


def test_nodes_have_parallelcluster_names_and_catalogue_sizes() -> None:
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


def test_static_nodes_are_excluded_from_suspension() -> None:
    included = keys(files()["slurm_parallelcluster.conf"])
    assert included["SuspendExcNodes"] == "train-st-p5-[1-2]"
    assert included["SuspendTime"] == "900"
    assert included["SlurmctldHost"] == "ip-10-0-0-4(10.0.0.4)"


def test_changes_for_the_rehearsal_are_at_the_end() -> None:
    found = files()
    main = found["slurm.conf"]
    custom = keys(found["pcluster/custom_slurm_settings_include_file_slurm.conf"])
    assert custom == {
        "SlurmdTimeout": slurm_files.SHORT_TIMEOUTS["SlurmdTimeout"],
        "PriorityType": "priority/multifactor",
    }
    _, _, changed = main.partition("# Settings that the rehearsal changes.\n")
    assert keys(changed).keys() >= slurm_files.REPLACED.keys()
    assert keys(changed)["MessageTimeout"] == slurm_files.SHORT_TIMEOUTS["MessageTimeout"]
    for key in (*slurm_files.REPLACED, *slurm_files.SHORT_TIMEOUTS):
        assert sum(line.startswith(key + "=") for line in main.splitlines()) <= 1, key
    assert keys(main)["Prolog"] == "/opt/slurm/etc/scripts/prolog.d/*"

"""The fourth sample: mistakes in specs, networks, images and job files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.field_failures.changes import SMALL, written
from tests.field_failures.parts import House, account, check, checked, client, refused
from tests.jobs.made import HEAD, fails, passes

ONE_TASK = HEAD + "#SBATCH --ntasks-per-node=1\n"


def test_karpenter_3479_too_long_name_of_a_cluster_is_refused(tmp_path: Path) -> None:
    """Names of roles, instance profiles and load balancers are made of the cluster's."""
    said = refused(tmp_path, {"environment": "research-team-for-models-" * 2})
    assert "environment" in said
    assert "40" in said


def test_parallelcluster_3285_option_at_the_wrong_place_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, {"platform": "parallelcluster", "placement_group": True})
    assert "placement_group" in said


@pytest.mark.parametrize("attribute", ["EnableDnsHostnames", "EnableDnsSupport"])
def test_magic_castle_109_vpc_without_dns_is_found(tmp_path: Path, attribute: str) -> None:
    """File systems and endpoints have names that only a VPC with both attributes resolves."""
    with account():
        house = House()
        assert checked(tmp_path, house.spec(), "--only", "CW-N011").findings == []
        house.ec2.modify_vpc_attribute(VpcId=house.vpc, **{attribute: {"Value": False}})
        found = checked(tmp_path, house.spec(), "--only", "CW-N011").of("CW-N011")
        assert any(attribute[1:] in finding["message"] for finding in found)


def test_learn_terraform_124_version_that_eks_no_longer_has_is_found(tmp_path: Path) -> None:
    def found(version: str) -> list[dict[str, Any]]:
        path = written(tmp_path, {"kubernetes.version": version})
        return check(path, "--offline", "--only", "CW-I020").of("CW-I020")

    assert [finding["severity"] for finding in found("1.29")] == ["error"]
    assert found("1.35") == []


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        (SMALL, "kubernetes.node_volume_gib"),
        ({"platform": "parallelcluster"}, "parallelcluster.root_volume_gib"),
        ({"platform": "parallelcluster"}, "parallelcluster.head_node_root_volume_gib"),
    ],
)
def test_pipeline_3006_root_volume_smaller_than_the_image_is_found(
    tmp_path: Path, changes: dict[str, Any], key: str
) -> None:
    with account():
        volume = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 200, "VolumeType": "gp3"}}
        image = client("ec2").register_image(
            Name="custom",
            Architecture="x86_64",
            RootDeviceName="/dev/xvda",
            EnaSupport=True,
            VirtualizationType="hvm",
            BlockDeviceMappings=[volume],
        )["ImageId"]
        tag = {"Key": "parallelcluster:os", "Value": "ubuntu2204"}
        client("ec2").create_tags(Resources=[image], Tags=[tag])
        small = {**changes, "image.image_id": image, key: 100}
        found = checked(tmp_path, small, "--only", "CW-I014").one("CW-I014")
        assert found["message"] == (
            f"{image} has a root volume of 200 GiB, and nodes have one of 100"
        )
        assert checked(tmp_path, {**small, key: 200}, "--only", "CW-I014").findings == []


def test_accelerate_2096_rank_that_the_batch_script_replaces_is_found() -> None:
    launch = "accelerate launch --num_machines 4 --machine_rank $SLURM_NODEID train.py"
    found = fails("CW-J054", HEAD + f"srun {launch}\n")
    assert "--machine-rank is the same in all 4 tasks" in found.message
    passes("CW-J054", HEAD + f"srun bash -c '{launch}'\n")


def test_accelerate_2265_steps_one_after_the_other_are_found() -> None:
    steps = [f"srun -w node-{n} accelerate launch --config_file r{n}.yaml t.py" for n in (1, 2)]
    found = fails("CW-J055", HEAD + "\n".join(steps) + "\n")
    assert "that one waits for this one" in found.message
    passes("CW-J055", HEAD + " &\n".join((*steps, "wait")) + "\n")


def test_pytorch_107021_fixed_address_of_the_rendezvous_is_found() -> None:
    run = "torchrun --nnodes=1:4 --rdzv_backend=c10d --rdzv_endpoint={} train.py\n"
    found = fails("CW-J023", HEAD + run.format("192.0.0.1:1234"))
    assert "Slurm chooses the 4 nodes" in found.message
    passes("CW-J023", HEAD + run.format("$(scontrol show hostnames | head -n 1):1234"))


def test_nemo_5819_devices_of_lightning_without_tasks_are_found() -> None:
    run = "srun python megatron_gpt_pretraining.py trainer.devices=8\n"
    assert "one task for each device" in fails("CW-J050", ONE_TASK + run).message
    passes("CW-J050", HEAD + "#SBATCH --ntasks-per-node=8\n" + run)


def test_deepspeed_4781_interface_that_nodes_do_not_have_is_found() -> None:
    run = "export NCCL_SOCKET_IFNAME={}\nsrun torchrun --nnodes=4 train.py\n"
    assert "names one interface" in fails("CW-J020", HEAD + run.format("ib")).message
    passes("CW-J020", HEAD + run.format("^docker,lo,veth"))

"""The seventh sample: batch scripts, manifests, keys, memory, images, budgets, reservations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.values import chart_values
from tests.field_failures.changes import EKS
from tests.field_failures.parts import ACCOUNT, House, account, check, checked, client, spec_file
from tests.field_failures.slurm_conf import slurm_conf
from tests.jobs import made, made_manifests
from tests.jobs.made_manifests import TAINTED, WHOLE, pod, pytorch_job
from tests.nodes.world import input_files
from tests.platforms.kubernetes import specs as kubernetes_specs
from tests.support import parallelcluster_specs, specs
from tests.support.synthesis import Build

ON_EC2: dict[str, Any] = {"platform": "parallelcluster"}
SHARED = "#!/bin/bash\n#SBATCH --mem=40000 --gres=gpu:1\nsrun python train.py\n"


# --- batch scripts


def test_megatron_bridge_3068_directives_after_a_command_are_found() -> None:
    directives = "#SBATCH --nodes=4\n#SBATCH --exclusive\n"
    text = "#!/usr/bin/env bash\n{}set -euo pipefail\n{}srun python train.py\n"
    found = made.fails("CW-J003", text.format("", directives))
    assert found.message == "Slurm ignores this line: it follows the first command"
    made.passes("CW-J003", text.format(directives, ""))


@pytest.mark.parametrize(
    ("line", "word", "corrected"),
    [
        ("--job-name=Big simulation", "simulation", '--job-name="Big simulation"'),
        (
            "--job-name=my_nice_job        (sets the job name)",
            "(sets",
            "--job-name=my_nice_job        # (sets the job name)",
        ),
    ],
)
def test_sherlock_19_words_after_the_value_of_a_directive_are_found(
    line: str, word: str, corrected: str
) -> None:
    text = "#!/bin/bash\n#SBATCH {}\n#SBATCH --nodes=2\n"
    found = made.fails("CW-J002", text.format(line))
    assert found.message == f"`{word}` is not an option"
    made.passes("CW-J002", text.format(corrected))


def test_lightning_18650_a_gpu_brings_its_cpus() -> None:
    """A job that requests GPUs and no CPUs gets the CPUs that go with them."""
    conf = slurm_conf(input_files("scripted")["cluster.json"])
    assert "DefCpuPerGPU=" in conf
    assert "DefCpuPerGPU=1 " not in conf


def test_megatron_bridge_2654_log_in_a_folder_that_the_script_creates_is_found() -> None:
    text = "#!/bin/bash\n#SBATCH --output=logs/%j.out\n{}srun python train.py\n"
    found = made.fails("CW-J045", text.format("mkdir -p logs\n"))
    assert "Slurm opens the log in logs before this line creates the folder" in found.message
    made.passes("CW-J045", text.replace("logs/", "").format(""))


def test_pyxis_127_image_file_without_a_path_is_found() -> None:
    run = "#!/bin/bash\nsrun --container-image {} hostname\n"
    found = made.fails("CW-J043", run.format("hello-world.sqsh"))
    assert "asks Docker Hub for an image of this name" in found.message
    made.passes("CW-J043", run.format("./hello-world.sqsh"))


def test_yolov5_12429_a_launcher_for_each_gpu_is_found() -> None:
    text = (
        "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node={}\n#SBATCH --gpus-per-node=2\n"
        "srun python -m torch.distributed.run --nproc_per_node 2 --nnodes 4 train.py\n"
    )
    found = made.fails("CW-J050", text.format(2))
    assert "2 launchers per node with 2 processes each: 4 processes on 2 GPUs" in found.message
    made.passes("CW-J050", text.format(1))


def test_parallelcluster_2804_memory_that_slurm_does_not_count_is_found() -> None:
    """HyperPod's slurm.conf counts it; ParallelCluster's and that of PCS do not."""
    found = made.fails("CW-J018", SHARED, parallelcluster_specs.SMALL)
    assert "selects nodes by CPUs alone: --mem reserves nothing" in found.message
    made.passes("CW-J018", SHARED, made.SPEC)
    conf = slurm_conf(input_files("scripted")["cluster.json"])
    assert "SelectTypeParameters=CR_Core_Memory" in conf


# --- manifests


def test_pytorch_16979_pods_without_shared_memory_are_found() -> None:
    spec = pod()
    del spec["containers"][0]["volumeMounts"]
    found = made_manifests.fails("CW-J073", pytorch_job(spec))
    assert found.message.endswith("no volume at /dev/shm: it has 64 MiB of shared memory")
    made_manifests.passes("CW-J073", pytorch_job(pod()))


def test_aws_do_eks_63_devices_of_the_node_beside_those_of_the_plugin_are_found() -> None:
    volumes = [{"name": "ib", "hostPath": {"path": "/dev/infiniband"}}]
    found = made_manifests.fails("CW-J074", pytorch_job(pod(volumes=volumes)))
    assert "libfabric may find no EFA" in found.message
    made_manifests.passes("CW-J074", pytorch_job(pod()))


def test_kueue_4848_queues_leave_out_what_belongs_to_the_node() -> None:
    """Kueue ignores ephemeral storage, EFA and huge pages; other such resources are found."""
    cluster = made.loaded(kubernetes_specs.EKS)
    values = str(chart_values(cluster, load_catalog())["kueue"])
    assert "excludeResourcePrefixes" in values
    assert "ephemeral-storage" in values
    labels = {"kueue.x-k8s.io/queue-name": "jobs"}
    more = {"ephemeral-storage": "100Gi"}
    text = pytorch_job(pod({**WHOLE, **more}), labels=labels)
    made_manifests.passes("CW-J076", text, kubernetes_specs.EKS)
    other = pytorch_job(pod({**WHOLE, "rdma/ib": 1}), labels=labels)
    found = made_manifests.fails("CW-J076", other, kubernetes_specs.EKS)
    assert "the queue does not cover rdma/ib, so the job is never admitted" in found.message


def test_kiosk_console_81_taint_that_pods_do_not_tolerate_is_found() -> None:
    found = made_manifests.fails("CW-J072", pytorch_job(pod()), TAINTED)
    assert "the pod does not tolerate dedicated=gpu:NoSchedule of hopper" in found.message
    tolerations = [{"key": "dedicated", "operator": "Exists"}]
    made_manifests.passes("CW-J072", pytorch_job(pod(tolerations=tolerations)), TAINTED)


# --- the account


def test_eks_module_2528_key_scheduled_for_deletion_is_found(tmp_path: Path) -> None:
    with account():
        kms = client("kms")
        key = kms.create_key()["KeyMetadata"]
        named = {"identity.kms_key_arn": key["Arn"]}
        assert checked(tmp_path, named, "--only", "CW-I002").findings == []
        kms.schedule_key_deletion(KeyId=key["KeyId"], PendingWindowInDays=7)
        found = checked(tmp_path, named, "--only", "CW-I002").one("CW-I002")
        assert "PendingDeletion" in found["message"]


def test_containers_roadmap_881_key_of_another_account_is_found(tmp_path: Path) -> None:
    def found(owner: str) -> list[dict[str, Any]]:
        key = {"identity.kms_key_arn": f"arn:aws:kms:us-east-1:{owner}:key/1234abcd-12ab"}
        return check(spec_file(tmp_path, key), "--offline", "--only", "CW-I007").of("CW-I007")

    (finding,) = found("999999999999")
    assert "999999999999" in finding["message"]
    assert found(ACCOUNT) == []


def test_terraform_aws_subnet_103_network_acl_without_an_allow_entry_is_found(
    tmp_path: Path,
) -> None:
    with account():
        house = House()
        assert checked(tmp_path, house.spec(), "--only", "CW-N025").findings == []
        made_acl = house.ec2.create_network_acl(VpcId=house.vpc)["NetworkAcl"]["NetworkAclId"]
        for egress in (True, False):
            house.ec2.create_network_acl_entry(
                NetworkAclId=made_acl,
                CidrBlock="0.0.0.0/0",
                Egress=egress,
                Protocol="-1",
                RuleAction="deny",
                RuleNumber=100,
            )
        (acl,) = house.ec2.describe_network_acls(
            Filters=[{"Name": "association.subnet-id", "Values": [house.subnet]}]
        )["NetworkAcls"]
        (own,) = [one for one in acl["Associations"] if one["SubnetId"] == house.subnet]
        house.ec2.replace_network_acl_association(
            AssociationId=own["NetworkAclAssociationId"], NetworkAclId=made_acl
        )
        assert checked(tmp_path, house.spec(), "--only", "CW-N025").of("CW-N025") != []


def test_parallelcluster_829_image_that_parallelcluster_did_not_build_is_found(
    tmp_path: Path,
) -> None:
    with account():
        volume = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 40, "VolumeType": "gp3"}}
        image = client("ec2").register_image(
            Name="from-my-head-node",
            Architecture="x86_64",
            RootDeviceName="/dev/xvda",
            EnaSupport=True,
            VirtualizationType="hvm",
            BlockDeviceMappings=[volume],
        )["ImageId"]
        named = {**ON_EC2, "image.image_id": image}
        found = checked(tmp_path, named, "--only", "CW-I014").one("CW-I014")
        assert (
            "if `pcluster build-image` did not build it, no node is configured" in found["message"]
        )
        tag = {"Key": "parallelcluster:version", "Value": "3.0.0"}
        client("ec2").create_tags(Resources=[image], Tags=[tag])
        found = checked(tmp_path, named, "--only", "CW-I014").one("CW-I014")
        assert "was built for version 3.0.0" in found["message"]


def test_superwerker_451_budget_in_a_region_without_them_is_found(tmp_path: Path) -> None:
    budget = {"budget": {"monthly_usd": 1000, "alert_emails": ["ops@acme.example"]}}
    there = {
        **budget,
        "region": "eu-central-2",
        "network.availability_zone_id": "euc2-az1",
    }
    only = ("--offline", "--only", "CW-E019")
    found = check(spec_file(tmp_path, there), *only).one("CW-E019")
    assert found["message"] == "CloudFormation is not known to create budgets in eu-central-2"
    assert check(spec_file(tmp_path, budget), *only).findings == []


def test_boto3_4248_budget_counts_without_a_tag(build: Build) -> None:
    """A filter by a tag that is not activated for cost allocation counts nothing."""
    budget = {"monthly_usd": 1000, "alert_emails": ["ops@acme.example"]}
    assembly = build(specs.changed({"budget": budget}, base=EKS))
    (made_budget,) = assembly.resources("AWS::Budgets::Budget").values()
    assert not {"CostFilters", "FilterExpression"} & set(made_budget["Properties"]["Budget"])


def test_dstack_3992_reservation_with_dedicated_tenancy_is_found(tmp_path: Path) -> None:
    def reserve(tenancy: str) -> dict[str, Any]:
        made_one = client("ec2").create_capacity_reservation(
            InstanceType="p5.48xlarge",
            InstancePlatform="Linux/UNIX",
            AvailabilityZoneId="use1-az6",
            InstanceCount=4,
            InstanceMatchCriteria="targeted",
            Tenancy=tenancy,
        )["CapacityReservation"]
        named = {"kind": "reservation", "id": made_one["CapacityReservationId"]}
        return {**ON_EC2, "compute.1.capacity": named}

    with account():
        found = checked(tmp_path, reserve("dedicated"), "--only", "CW-C034").one("CW-C034")
        assert "has tenancy dedicated, the nodes have default" in found["message"]
        assert checked(tmp_path, reserve("default"), "--only", "CW-C034").findings == []

"""The eighth sample: launchers, manifests, regions, launch templates, keys, passwords."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.storage import storage_manifests
from clusterwright.platforms.kubernetes.values import chart_values
from tests.field_failures.changes import EKS, SMALL, of_type, template_of
from tests.field_failures.parts import (
    accepted,
    account,
    check,
    checked,
    client,
    refused,
    spec_file,
)
from tests.jobs import made, made_manifests
from tests.jobs.made_manifests import pod, pytorch_job
from tests.platforms.kubernetes import specs as kubernetes_specs
from tests.support import parallelcluster_specs, specs
from tests.support.command_line import clusterwright
from tests.support.synthesis import Build

HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --exclusive\n"
RDS = {"slurm.accounting": {"kind": "rds"}}

# --- batch scripts


def test_accelerate_2816_launcher_on_one_node_or_with_one_rank_is_found() -> None:
    launch = "accelerate launch --num_machines 2 --machine_rank $SLURM_NODEID train.py"
    found = made.fails("CW-J051", HEAD + launch + "\n")
    assert found.message == "accelerate runs on the first of 2 nodes only, and waits for 2"
    found = made.fails("CW-J054", HEAD + f'srun bash -c "{launch}"\n')
    assert "--machine-rank is the same in all 2 tasks" in found.message
    correct = HEAD + f"srun bash -c '{launch}'\n"
    made.passes("CW-J051", correct)
    made.passes("CW-J054", correct)


def test_pytorch_102434_program_without_an_interpreter_is_found() -> None:
    line = "srun {}train.py --fsdp 'full_shard auto_wrap offload'\n"
    found = made.fails("CW-J009", HEAD + line.format(""))
    assert "srun executes train.py itself" in found.message
    made.passes("CW-J009", HEAD + line.format("python "))


def test_parallelcluster_282_sockets_that_slurm_does_not_have_are_found() -> None:
    text = "#!/bin/bash\n#SBATCH -p cpu\n#SBATCH --sockets-per-node={}\nsrun ./fire\n"
    found = made.fails("CW-J007", text.format(2))
    assert found.message.startswith("2 sockets are requested, and slurm.conf has 1")
    made.passes("CW-J007", text.format(1))


def test_nemo_launcher_73_container_without_pyxis_is_found() -> None:
    text = HEAD + "srun --container-image=/fsx/nemo.sqsh python train.py\n"
    without = {**made.SPEC, "slurm": {**made.SPEC["slurm"], "containers": {"pyxis": False}}}
    found = made.fails("CW-J008", text, without)
    assert "--container-image is an option of Pyxis" in found.message
    made.passes("CW-J008", text)


# --- manifests


def test_aws_do_eks_19_field_at_the_wrong_place_is_found() -> None:
    found = made_manifests.fails("CW-J077", pytorch_job(pod(imagePullPolicy="Always")))
    assert found.message == "PodSpec has no field imagePullPolicy"
    assert found.hint == "Container has it: move it there"
    made_manifests.passes("CW-J077", pytorch_job(pod()))


def test_headlamp_1191_flavor_that_does_not_exist_is_found() -> None:
    flavor = {"kind": "ResourceFlavor", "metadata": {"name": "default-flavor"}}

    def text(name: str) -> str:
        queue = {
            "kind": "ClusterQueue",
            "metadata": {"name": "team-a"},
            "spec": {"resourceGroups": [{"flavors": [{"name": name}]}]},
        }
        return f"{json.dumps(flavor)}\n---\n{json.dumps(queue)}\n"

    found = made_manifests.fails("CW-J078", text("default"))
    assert found.message == "neither the file nor the spec has the ResourceFlavor default"
    made_manifests.passes("CW-J078", text("default-flavor"))


def test_trainer_1579_pods_that_go_on_after_a_failure_are_found() -> None:
    document = json.loads(pytorch_job(pod()))
    made_manifests.passes("CW-J079", json.dumps(document))
    del document["spec"]["runPolicy"]
    found = made_manifests.fails("CW-J079", json.dumps(document))
    assert "after one pod has failed the others go on" in found.message


def test_eks_ml_26_worker_of_mpirun_that_restarts_is_found() -> None:
    text = "kind: MPIJob\nspec: {{mpiReplicaSpecs: {{Worker: {{restartPolicy: {0}}}}}}}\n"
    found = made_manifests.fails("CW-J080", text.format("OnFailure"))
    assert "a worker that restarts does not join a running mpirun" in found.message
    made_manifests.passes("CW-J080", text.format("Never"))


# --- specs and the account


def test_awscc_2381_region_without_the_resource_type_is_found(tmp_path: Path) -> None:
    there = {"region": "ca-west-1", "network.availability_zone_id": "caw1-az1"}
    only = ("--offline", "--only", "CW-E020")
    found = check(spec_file(tmp_path, there), *only).one("CW-E020")
    assert found["message"] == (
        "CloudFormation is not known to have AWS::SageMaker::Cluster in ca-west-1"
    )
    assert check(spec_file(tmp_path), *only).findings == []


def test_pod_identity_37_addon_version_without_pod_identity_is_refused(tmp_path: Path) -> None:
    def mounted(version: str) -> dict[str, Any]:
        addon = {"name": "aws-mountpoint-s3-csi-driver", "version": version}
        bucket = {"name": "acme-results", "mount_path": "/results"}
        return {**SMALL, "storage.buckets": [bucket], "kubernetes.addons": [addon]}

    error = refused(tmp_path, mounted("v1.10.0-eksbuild.1"))
    assert "must be version 2.0.0 or later, which supports EKS Pod Identity" in error
    accepted(tmp_path, mounted("v2.0.0-eksbuild.1"))


def test_parallelcluster_4159_accounts_without_accounting_are_refused(tmp_path: Path) -> None:
    accounts = {"slurm.accounts": [{"name": "research"}]}
    error = refused(tmp_path, {**accounts, "slurm.accounting": {"kind": "none"}})
    assert "`accounts` requires an accounting database, and accounting is none" in error
    accepted(tmp_path, {**accounts, "slurm.configuration": "scripted"})


def test_containers_roadmap_2296_image_with_amazon_linux_2_is_found(tmp_path: Path) -> None:
    def found(name: str) -> list[str]:
        volume = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 40, "VolumeType": "gp3"}}
        image = client("ec2").register_image(
            Name=name,
            Architecture="x86_64",
            RootDeviceName="/dev/xvda",
            EnaSupport=True,
            VirtualizationType="hvm",
            BlockDeviceMappings=[volume],
        )["ImageId"]
        service = {"kubernetes.service_cidr": "172.20.0.0/16"}
        named = {**SMALL, **service, "image.image_id": image}
        return checked(tmp_path, named, "--only", "CW-I014").messages("CW-I014")

    with account():
        (message,) = found("amazon-eks-gpu-node-1.32-v20250501")
        assert "has Amazon Linux 2, and the user data of the nodes is for nodeadm" in message
        assert found("amazon-eks-node-al2023-x86_64-nvidia-1.35-v20260304") == []


# --- what cannot occur


def test_eks_module_1386_instance_type_is_in_the_launch_template_only(build: Build) -> None:
    assembly = build(EKS)
    assert template_of(assembly, "workers")["InstanceType"] == "p5.4xlarge"
    groups = assembly.resources("AWS::EKS::Nodegroup").values()
    assert not any("InstanceTypes" in one["Properties"] for one in groups)


@pytest.mark.parametrize(
    ("capacity", "market"),
    [
        ({"kind": "spot"}, None),
        ({"kind": "on-demand"}, None),
        (
            {"kind": "capacity-block", "id": "cr-0123456789abcdef0"},
            {"MarketType": "capacity-block"},
        ),
    ],
)
def test_terraform_15118_only_capacity_blocks_have_market_options(
    build: Build, capacity: dict[str, Any], market: dict[str, str] | None
) -> None:
    data = template_of(build(of_type("p5.48xlarge", capacity=capacity)), "workers")
    assert data.get("InstanceMarketOptions") == market


def test_comfyui_26_no_operator_installs_drivers() -> None:
    """The images of EKS and HyperPod have them; the operator only partitions GPUs."""
    values = chart_values(made.loaded(kubernetes_specs.EKS), load_catalog())
    assert "nvidia-device-plugin" in values
    assert not any("gpu-operator" in name for name in values)


def test_fsx_driver_239_claims_are_bound_to_file_systems_of_the_stacks() -> None:
    """A file system that cannot be created fails the deployment, not a claim."""
    cluster = made.loaded(kubernetes_specs.EKS)
    objects = list(storage_manifests(cluster, kubernetes_specs.OUTPUTS))
    assert "StorageClass" not in {one["kind"] for one in objects}
    claims = [one["spec"] for one in objects if one["kind"] == "PersistentVolumeClaim"]
    assert claims
    assert all(one["storageClassName"] == "" and one["volumeName"] for one in claims)


def test_cookbook_3248_generated_password_has_no_punctuation(build: Build) -> None:
    """slurmdbd.conf ends a value at `#`."""
    secrets = build(specs.changed(RDS)).resources("AWS::SecretsManager::Secret").values()
    generated = [
        one["Properties"]["GenerateSecretString"]
        for one in secrets
        if "GenerateSecretString" in one["Properties"]
    ]
    assert generated
    assert all(one["ExcludePunctuation"] for one in generated)


def test_cdk_19845_nodes_are_admitted_by_access_entries(build: Build) -> None:
    (cluster,) = build(EKS).resources("AWS::EKS::Cluster").values()
    access = cluster["Properties"]["AccessConfig"]
    assert access["AuthenticationMode"] == "API"


def _configuration(folder: Path) -> dict[str, Any]:
    path = specs.write(folder / "spec.yaml", parallelcluster_specs.SMALL)
    answer = clusterwright("render", "parallelcluster", path)
    assert answer.exit_code == 0
    return dict(yaml.safe_load(answer.out))


def test_parallelcluster_6648_settings_of_parallelcluster_are_not_replaced(
    tmp_path: Path,
) -> None:
    settings = _configuration(tmp_path)["Scheduling"]["SlurmSettings"]["CustomSlurmSettings"]
    names = {name for one in settings for name in one}
    assert names
    assert not names & {"JobAcctGatherType", "LaunchParameters"}


def test_parallelcluster_6357_file_systems_are_not_those_of_parallelcluster(
    tmp_path: Path,
) -> None:
    """They are in their own stack, so an update of the cluster replaces none."""
    storage = _configuration(tmp_path)["SharedStorage"]
    lustre = [one for one in storage if one["StorageType"] == "FsxLustre"]
    assert lustre
    assert all(set(one["FsxLustreSettings"]) == {"FileSystemId"} for one in lustre)

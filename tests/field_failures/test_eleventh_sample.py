"""The eleventh sample: storage, placement and images of clusters, and values of job files."""

from __future__ import annotations

import json
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.platforms.eks.launch_templates import GROUP_LABEL
from clusterwright.platforms.kubernetes.charts import wanted_charts
from clusterwright.platforms.kubernetes.control_plane import configuration_values
from clusterwright.platforms.kubernetes.render import manifests
from tests.field_failures.changes import EKS, of_type, template_of
from tests.field_failures.slurm_conf import slurm_conf_files
from tests.jobs import made, made_manifests
from tests.jobs.made_manifests import WHOLE, in_list, pod, pytorch_job
from tests.nodes.world import input_files
from tests.platforms.kubernetes.specs import KARPENTER, OUTPUTS
from tests.support import rich_specs, specs
from tests.support.synthesis import Build

ONE_NODE = "#!/bin/bash\n#SBATCH --nodes=1 --exclusive\n"
NAMED = {"apiVersion": "v1", "metadata": {"name": "data"}}

# --- clusters


def test_karpenter_5283_storage_that_no_node_has_is_found() -> None:
    text = pytorch_job(pod({**WHOLE, "ephemeral-storage": "{}Gi"}))
    found = made_manifests.fails("CW-J070", text.replace("{}", "300"))
    assert found.limit == 200 * 1024**3
    made_manifests.passes("CW-J070", text.replace("{}", "100"))


def test_karpenter_6884_nodes_have_the_pods_of_their_type() -> None:
    """Neither Karpenter's classes nor the nodes' configuration limit the pods of a node."""
    cluster = made.loaded(KARPENTER)
    rendered = manifests(cluster, load_catalog(), "autoscaling", OUTPUTS)
    classes = [one for one in rendered if one["kind"] == "EC2NodeClass"]
    assert classes
    assert all("kubelet" not in one["spec"] for one in classes)


def test_vpc_cni_3238_pods_have_addresses_of_their_nodes_network() -> None:
    assert configuration_values("vpc-cni")["env"] == {
        "MINIMUM_IP_TARGET": "10",
        "WARM_IP_TARGET": "2",
    }


def test_fsx_csi_127_options_of_the_class_of_an_existing_volume_are_found() -> None:
    def storage(**volume: Any) -> str:
        spec = {"storageClassName": "data", "csi": {"driver": "fsx.csi.aws.com"}, **volume}
        return in_list(
            json.dumps({**NAMED, "kind": "StorageClass", "mountOptions": ["flock"]}),
            json.dumps({**NAMED, "kind": "PersistentVolume", "spec": spec}),
        )

    found = made_manifests.fails("CW-J093", storage())
    assert found.message.startswith("the volume data is mounted without flock")
    made_manifests.passes("CW-J093", storage(mountOptions=["flock"]))


def test_gpu_operator_686_drivers_are_those_of_the_image() -> None:
    charts = wanted_charts(made.loaded(of_type("p5.48xlarge")), load_catalog())
    assert "gpu-operator" not in charts
    assert any("nvidia" in chart for chart in charts)


def test_terraform_24678_associations_are_created_one_after_the_other(build: Build) -> None:
    found = build(rich_specs.FULL).resources("AWS::FSx::DataRepositoryAssociation")
    names = {name.rpartition("/")[2] for name in found}
    waits = [set(one.get("DependsOn", ())) & names for one in found.values()]
    assert len(found) > 1
    assert sorted(map(len, waits)) == [0] + [1] * (len(found) - 1)
    assert len(set().union(*waits)) == len(found) - 1


def test_deepops_1195_devices_have_no_cores() -> None:
    text = slurm_conf_files(input_files("scripted")["cluster.json"])["gres.conf"]
    assert text is not None
    assert "Name=gpu File=/dev/nvidia" in text
    assert "Cores=" not in text
    assert "CPUs=" not in text


def test_terraform_16183_placement_group_has_one_subnet(build: Build) -> None:
    workers = {**EKS["compute"][1], "instance_type": "p5.48xlarge"}
    both = [EKS["compute"][0], workers, {**workers, "name": "others"}]
    assembly = build(specs.changed({"compute": both}, base=EKS))
    groups = [template_of(assembly, name)["Placement"] for name in ("workers", "others")]
    assert groups[0] != groups[1]
    nodes = [one["Properties"] for one in assembly.resources("AWS::EKS::Nodegroup").values()]
    placed = [one["Subnets"] for one in nodes if one["Labels"].get(GROUP_LABEL) != "system"]
    assert len(placed) == 2
    assert placed[0] == placed[1]
    assert len(placed[0]) == 1


def test_awsome_194_nodes_may_pull_images(build: Build) -> None:
    policies = build(rich_specs.FULL).resources("AWS::IAM::Role").values()
    assert "ecr:BatchGetImage" in json.dumps(list(policies))


def test_idf_modules_93_repository_is_one_address(build: Build) -> None:
    """The bucket and its prefix are one address of S3, which no template puts together."""
    stated = [
        repository["s3"]
        for lustre in rich_specs.FULL["storage"]["lustre"]
        for repository in lustre.get("repositories", ())
    ]
    found = build(rich_specs.FULL).resources("AWS::FSx::DataRepositoryAssociation").values()
    assert stated
    assert [one["Properties"]["DataRepositoryPath"] for one in found] == stated


# --- batch scripts


def test_relion_877_empty_list_of_resources_is_found() -> None:
    text = "#!/bin/bash\n#SBATCH --ntasks=4\n#SBATCH --gres={}\nsrun relion_refine\n"
    assert made.fails("CW-J006", text.format("")).message.startswith("--gres: Slurm does not")
    made.passes("CW-J006", text.format("gpu:1"))


def test_pyxis_151_container_saved_to_a_folder_is_found() -> None:
    text = f"{ONE_NODE}srun --container-image=ubuntu --container-save={{}} bash -c 'make'\n"
    assert "is a folder" in made.fails("CW-J100", text.format("./")).message
    made.passes("CW-J100", text.format("./made.sqsh"))


def _accelerate(settings: str) -> str:
    return (
        f"{ONE_NODE}cat > settings.yaml <<'END'\n{settings}\nnum_processes: 8\nEND\n"
        "accelerate launch --config_file settings.yaml train.py\n"
    )


def test_accelerate_3798_parallel_sizes_without_shards_are_found() -> None:
    text = (
        "distributed_type: {}\nfsdp_config: {{fsdp_version: 2}}\nparallelism_config:\n"
        "  parallelism_config_dp_shard_size: 1\n  parallelism_config_tp_size: 8"
    )
    found = made.fails("CW-J150", _accelerate(text.format("FSDP")))
    assert found.message.startswith("FSDP has no processes to divide the model among")
    made.passes("CW-J150", _accelerate(text.format("MULTI_GPU")))


def test_optimum_neuron_619_processes_of_an_unsupported_topology_are_found() -> None:
    text = f"{ONE_NODE}#SBATCH --partition=trn\ntorchrun --nproc_per_node={{}} train.py\n"
    assert made.fails("CW-J050", text.format(24)).requested == 24
    made.passes("CW-J050", text.format(32))


# --- manifests


def test_trainer_1589_restarts_without_an_end_are_found() -> None:
    job = json.loads(pytorch_job(pod()))
    job["spec"]["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] = "OnFailure"
    made_manifests.passes("CW-J092", json.dumps(job))
    del job["spec"]["runPolicy"]["backoffLimit"]
    made_manifests.fails("CW-J092", json.dumps(job))


def test_kueue_3158_taint_of_every_flavour_is_found() -> None:
    def objects(**tolerated: Any) -> str:
        taint = {"key": "taint_key", "value": "taint_value", "effect": "NoSchedule"}
        flavor = {"nodeTaints": [taint]}
        group = {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "data"}]}
        return in_list(
            pytorch_job(pod(**tolerated), labels={"kueue.x-k8s.io/queue-name": "data"}),
            json.dumps({**NAMED, "kind": "LocalQueue", "spec": {"clusterQueue": "data"}}),
            json.dumps({**NAMED, "kind": "ClusterQueue", "spec": {"resourceGroups": [group]}}),
            json.dumps({**NAMED, "kind": "ResourceFlavor", "spec": flavor}),
        )

    found = made_manifests.fails("CW-J090", objects())
    assert "taint_key=taint_value:NoSchedule of the flavour data" in found.message
    toleration = {"key": "taint_key", "operator": "Exists"}
    made_manifests.passes("CW-J090", objects(tolerations=[toleration]))


def test_kuberay_2612_group_without_cpus_is_found() -> None:
    def cluster(**limits: Any) -> str:
        container = {"name": "ray", "image": "ray", "resources": {"limits": limits}}
        group = {"rayStartParams": {}, "template": {"spec": {"containers": [container]}}}
        spec = {"enableInTreeAutoscaling": True, "headGroupSpec": group}
        return json.dumps({**NAMED, "kind": "RayCluster", "spec": spec})

    made_manifests.fails("CW-J091", cluster(memory="4Gi"))
    made_manifests.passes("CW-J091", cluster(memory="4Gi", cpu=2))


def test_aws_do_eks_54_interface_of_pod_identity_is_found() -> None:
    def job(value: str) -> str:
        spec = pod(hostNetwork=True)
        spec["containers"][0]["env"] = [{"name": "NCCL_SOCKET_IFNAME", "value": value}]
        return pytorch_job(spec)

    made_manifests.fails("CW-J094", job("^lo,docker,veth,eni"))
    made_manifests.passes("CW-J094", job("^lo,docker,veth,eni,pod-id-link0"))

"""The tenth sample: options of launchers, ranks, and manifests of training operators."""

from __future__ import annotations

import json
from typing import Any

from tests.jobs import made, made_manifests
from tests.jobs.made_manifests import pod, pytorch_job

HEAD = "#!/bin/bash\n#SBATCH --partition=gpu\n#SBATCH --nodes=2 --exclusive\n"
ONE_EACH = f"{HEAD}#SBATCH --ntasks-per-node=1\n"

# --- batch scripts


def test_accelerate_2240_value_of_a_flag_is_found() -> None:
    text = f"{ONE_EACH}srun accelerate launch --num_processes 16 --num_machines 2 {{}} main.py\n"
    found = made.fails("CW-J062", text.format("--same_network true"))
    assert "accelerate takes `true` for the program" in found.message
    made.passes("CW-J062", text.format("--same_network"))


def test_cookbook_491_launcher_on_the_first_node_is_found() -> None:
    text = f"{ONE_EACH}{{}}torchrun --nproc_per_node 8 --nnodes 2 --rdzv_id 1 finetuning.py\n"
    made.fails("CW-J051", text.format(""))
    made.passes("CW-J051", text.format("srun "))


def test_resiliency_142_rank_of_all_nodes_is_found() -> None:
    text = f"{ONE_EACH}srun torchrun --nproc_per_node=8 --nnodes=2 {{}} async_writer.py\n"
    found = made.fails("CW-J054", text.format("--node-rank=0"))
    assert found.message == "--node-rank=0 in all 2 tasks of the step"
    made.passes("CW-J054", text.format("--rdzv_backend=c10d --rdzv_endpoint=$FIRST"))


def test_hpcfund_47_rank_of_the_batch_script_is_found() -> None:
    text = f"{ONE_EACH}srun torchrun --nnodes 2 --node_rank {{}} --nproc_per_node 8 train.py\n"
    found = made.fails("CW-J054", text.format("$SLURM_PROCID"))
    assert found.message.startswith("the batch script replaces $SLURM_PROCID")


def test_deepspeed_662_options_after_the_program_are_found() -> None:
    found = made.fails("CW-J062", f"{HEAD}deepspeed --no_ssh tune.py --hostfile=hosts\n")
    assert "deepspeed does not read --hostfile" in found.message
    made.passes("CW-J062", f"{HEAD}list > hosts\ndeepspeed --hostfile=hosts tune.py\n")


def test_deepspeed_3624_slots_that_do_not_exist_are_found() -> None:
    text = f"{HEAD}cat > hosts <<'END'\nwork1 slots=2\nwork2 slots=2\nEND\n"
    launch = "deepspeed --hostfile hosts --include=work1:{} training.py\n"
    found = made.fails("CW-J062", text + launch.format("2,3"))
    assert found.message.startswith("work1 has 2 slots in the file of hosts")
    made.passes("CW-J062", text + launch.format("0,1"))


def test_open_r1_353_processes_of_one_machine_are_found() -> None:
    text = f"{ONE_EACH}srun accelerate launch --num_machines 2 --num_processes={{}} grpo.py\n"
    found = made.fails("CW-J062", text.format(7))
    assert found.message.endswith("each starts 3, 6 in all")
    made.passes("CW-J062", text.format(14))


# --- manifests


def mpi(slots: int, workers: int, processes: int) -> str:
    """An MPIJob whose workers have eight GPUs each."""
    launcher = pod({"cpu": 1})
    launcher["containers"][0]["command"] = ["mpirun", "-np", str(processes), "python", "mnist.py"]
    roles = {
        "Launcher": {"replicas": 1, "template": {"spec": launcher}},
        "Worker": {"replicas": workers, "template": {"spec": pod()}},
    }
    spec = {"slotsPerWorker": slots, "mpiReplicaSpecs": roles}
    return custom("kubeflow.org/v2beta1", "MPIJob", spec)


def custom(api: str, kind: str, spec: dict[str, Any], name: str = "train", **labels: str) -> str:
    """A custom resource."""
    metadata = {"name": name, "labels": labels}
    return json.dumps({"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec})


def job_set(name: str, spec: dict[str, Any]) -> str:
    """A JobSet with a coordinator."""
    job = {"name": "leader", "replicas": 1, "template": {"spec": {"template": {"spec": spec}}}}
    coordinator = {"replicatedJob": "leader", "jobIndex": 0, "podIndex": 0}
    whole = {"coordinator": coordinator, "replicatedJobs": [job]}
    return custom("jobset.x-k8s.io/v1alpha2", "JobSet", whole, name)


def ray_job(resources: str = "", queue: str = "", **spec: Any) -> str:
    """A RayJob with its own cluster."""
    start = {"resources": resources} if resources else {}
    group = {"groupName": "gpu", "rayStartParams": start, "template": {"spec": pod()}}
    head = {"rayStartParams": {}, "template": {"spec": pod({"cpu": 1})}}
    cluster = {"headGroupSpec": head, "workerGroupSpecs": [group]}
    labels = {"kueue.x-k8s.io/queue-name": queue} if queue else {}
    return custom("ray.io/v1", "RayJob", {"rayClusterSpec": cluster, **spec}, **labels)


def with_replica(role: str, **replica: Any) -> str:
    """A PyTorchJob with another replica, or another specification of one."""
    job = json.loads(pytorch_job(pod()))
    specs = job["spec"]["pytorchReplicaSpecs"]
    specs[role] = {"replicas": 1, "template": {"spec": pod()}, **replica}
    return json.dumps(job)


def test_mpi_operator_318_slots_without_accelerators_are_found() -> None:
    found = made_manifests.fails("CW-J084", mpi(16, 2, 2))
    assert found.message == "slotsPerWorker is 16, and a worker has 8 accelerators"
    made_manifests.passes("CW-J084", mpi(8, 2, 2))


def test_ompi_3133_processes_without_slots_are_found() -> None:
    found = made_manifests.fails("CW-J084", mpi(1, 1, 2))
    assert found.message == "mpirun starts 2 processes, and the workers have 1 slots"
    made_manifests.passes("CW-J084", mpi(1, 2, 2))


def test_pytorch_operator_331_pods_with_different_gpus_are_found() -> None:
    one = {"template": {"spec": pod({"nvidia.com/gpu": 1})}}
    found = made_manifests.fails("CW-J084", with_replica("Master", **one))
    assert "each counts as one process in WORLD_SIZE" in found.message
    made_manifests.passes("CW-J084", with_replica("Master"))


def test_ilab_256_worker_without_replicas_is_found() -> None:
    found = made_manifests.fails("CW-J083", with_replica("Worker", replicas=0))
    assert found.message.startswith("the job has 0 workers")
    made_manifests.passes("CW-J083", with_replica("Worker", replicas=1))


def test_trainer_1222_fields_of_no_container_are_found() -> None:
    spec = pod()
    spec["containers"][0] |= {"workdir": "/hello", "environment": {"hello": "world"}}
    result = made_manifests.check(pytorch_job(spec))
    messages = {one.message for one in result.findings if one.rule == "CW-J077"}
    fields = ("workdir", "environment")
    assert messages == {f"Container has no field {field}" for field in fields}


def test_kops_12718_field_of_no_replica_is_found() -> None:
    found = made_manifests.fails("CW-J077", with_replica("Worker", runtimeclassname="nvidia"))
    assert found.message == "pytorchReplicaSpecs has no field runtimeclassname"
    nvidia = {"template": {"spec": pod(runtimeClassName="nvidia")}}
    made_manifests.passes("CW-J077", with_replica("Worker", **nvidia))


def test_kubeflow_manifests_298_name_of_the_container_is_found() -> None:
    spec = pod()
    spec["containers"][0]["name"] = "pytorch1"
    found = made_manifests.fails("CW-J083", pytorch_job(spec))
    assert found.message.startswith("no container of Worker has the name pytorch")


def test_xpk_750_long_name_of_a_jobset_is_found() -> None:
    found = made_manifests.fails("CW-J083", job_set("pretraining-of-the-language-model", pod()))
    assert found.message.startswith("the coordinator's label pretraining-of-the-language-model-")
    made_manifests.passes("CW-J083", job_set("pretraining", pod()))


def test_jobset_1211_mount_without_a_path_is_found() -> None:
    spec = pod()
    spec["containers"][0]["volumeMounts"] = [{"name": "shm"}]
    found = made_manifests.fails("CW-J077", job_set("train", spec))
    assert found.message == "VolumeMount lacks the required field mountPath"


def test_kuberay_3651_lifetime_without_shutdown_is_found() -> None:
    found = made_manifests.fails("CW-J083", ray_job(ttlSecondsAfterFinished=10))
    assert found.message.startswith("ttlSecondsAfterFinished has no effect, or is refused")
    both = ray_job(ttlSecondsAfterFinished=10, shutdownAfterJobFinishes=True)
    made_manifests.passes("CW-J083", both)


def test_kueue_780_ray_cluster_that_stays_is_found() -> None:
    found = made_manifests.fails("CW-J083", ray_job(queue="jobs"))
    assert found.message == "Kueue refuses a RayJob whose cluster stays after the job"
    made_manifests.passes("CW-J083", ray_job(queue="jobs", shutdownAfterJobFinishes=True))


def test_kuberay_1984_resources_without_quotes_are_found() -> None:
    found = made_manifests.fails("CW-J083", ray_job('{"NPU": 1}'))
    assert found.message.startswith("the shell of `ray start` removes the quotes")
    made_manifests.passes("CW-J083", ray_job('"{\\"NPU\\": 1}"'))

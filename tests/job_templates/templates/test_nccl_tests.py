"""NCCL tests: collectives, sizes, node counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import IMAGE, kubernetes_cluster, manifests, rendered, shell
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.platforms.kubernetes.specs import IMAGE as ECR_IMAGE


def test_all_collectives_and_node_counts() -> None:
    text = rendered("nccl-tests")
    assert "NODE_COUNTS=(1 2 4 7)\n" in text
    assert "all_reduce all_gather reduce_scatter alltoall" in text
    assert "-b 8 -e 16G -f 2 -g 1 -c 1 -n 20" in text
    assert "--ntasks-per-node=8" in text


def test_settings() -> None:
    text = rendered(
        "nccl-tests", only="2", collectives="alltoall", largest="2G", iterations="100", nodes="4"
    )
    assert "NODE_COUNTS=(2)\n" in text
    assert "COLLECTIVES=(alltoall)\n" in text
    assert "-e 2G -f 2 -g 1 -c 1 -n 100" in text
    assert "#SBATCH --nodes=4\n" in text


def test_in_a_container_the_programs_are_those_of_the_image() -> None:
    text = rendered("nccl-tests", image=IMAGE)
    assert "IMAGE_URI='docker://nvcr.io#nvidia/pytorch:sha256:0123456789abcdef" in text
    assert "export ENROOT_TEMP_PATH=/scratch/enroot/temporary" in text
    assert '--container-image="$IMAGE"' in text
    assert "has no all_reduce_perf" not in text


GIVEN = {"image": ECR_IMAGE, "tenant": "pretraining"}
GOVERNED = {
    "hyperpod__task_governance": {"priority_classes": [{"name": "training", "weight": 90}]},
    "kubernetes__workloads": {"jobs": []},
    "tenants__0__priority": None,
}


def mpi_job(cluster: Any, **given: str) -> dict[str, Any]:
    (found,) = manifests(rendered("nccl-tests", cluster, plan=None, **GIVEN | given))
    assert found["kind"] == "MPIJob"
    return found


def test_manifest_of_whole_nodes() -> None:
    found = mpi_job(kubernetes_cluster(EKS), nodes="4", time="90")
    assert found["metadata"]["namespace"] == "pretraining"
    assert found["metadata"]["labels"] == {
        "app.kubernetes.io/managed-by": "clusterwright",
        "clusterwright.dev/tenant": "pretraining",
        "kueue.x-k8s.io/queue-name": "jobs",
        "kueue.x-k8s.io/priority-class": "urgent",
    }
    spec = found["spec"]
    assert spec["runPolicy"]["activeDeadlineSeconds"] == 5400
    assert spec["slotsPerWorker"] == 8
    worker = spec["mpiReplicaSpecs"]["Worker"]
    assert worker["replicas"] == 4
    limits = worker["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}
    launcher = spec["mpiReplicaSpecs"]["Launcher"]
    # A failed collective is a result: it is not run again.
    assert (launcher["restartPolicy"], spec["runPolicy"]["backoffLimit"]) == ("Never", 0)


def test_priority() -> None:
    found = mpi_job(kubernetes_cluster(EKS), priority="low")
    assert found["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] == "low"
    worker = found["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]
    assert worker["priorityClassName"] == "low"
    with pytest.raises(SettingError, match="no priority 'lowest'"):
        mpi_job(kubernetes_cluster(EKS), priority="lowest")


def test_task_governance() -> None:
    found = mpi_job(kubernetes_cluster(HYPERPOD, **GOVERNED), priority="training")
    assert found["metadata"]["namespace"] == "hyperpod-ns-pretraining"
    labels = found["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "hyperpod-ns-pretraining-localqueue"
    assert labels["kueue.x-k8s.io/priority-class"] == "training-priority"
    with pytest.raises(SettingError, match="no priority 'urgent'"):
        mpi_job(kubernetes_cluster(HYPERPOD, **GOVERNED), priority="urgent")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tenant": "nobody"}, "no tenant 'nobody'"),
        ({"partition": "gpu"}, "does not run jobs with Slurm"),
        ({"environment": "/fsx/venv"}, "does not run jobs with Slurm"),
        ({"image": "/fsx/images/nccl.sqsh"}, "is not an image reference with a digest"),
        ({"image": IMAGE}, "nvcr.io cannot be reached, the network is closed"),
        ({"run": "My_Run"}, "is not a name of lowercase letters"),
        ({"run": "a" * 41}, "is not a name of lowercase letters"),
        ({"capacity_ends": "2999-01-01T00:00Z"}, "no deadline at a time of day"),
        ({"tenant": "post-training", "nodes": "5"}, "jobs of post-training can have 4 of workers"),
    ],
)
def test_settings_that_are_refused_on_kubernetes(given: dict[str, str], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        rendered("nccl-tests", kubernetes_cluster(EKS), plan=None, **GIVEN | given)


def test_what_has_to_be_stated_on_kubernetes() -> None:
    with pytest.raises(RefusedError, match="the digest of its image is unknown"):
        rendered("nccl-tests", kubernetes_cluster(EKS), tenant="pretraining")
    with pytest.raises(RefusedError, match="several tenants"):
        rendered("nccl-tests", kubernetes_cluster(EKS), image=ECR_IMAGE)
    with pytest.raises(SettingError, match="does not run jobs with Kubernetes"):
        rendered("nccl-tests", tenant="pretraining")


def test_nodes_are_those_of_the_tenant() -> None:
    text = rendered(
        "nccl-tests", kubernetes_cluster(EKS), plan=None, **GIVEN | {"tenant": "post-training"}
    )
    assert "NODE_COUNTS=(1 2 4)\n" in text
    assert "NODE_COUNTS=(1 2 4 8)\n" in rendered(
        "nccl-tests", kubernetes_cluster(EKS), plan=None, **GIVEN
    )


MPIRUN = """#!/bin/bash
echo "$*" >>calls
case "$*" in
  *" true") (($(wc -l <calls) > 2)) ;;
  *alltoall_perf*) exit 1 ;;
esac
"""


def launched(folder: Path, mpirun: str, **given: str) -> tuple[int, str, list[str]]:
    """Exit code, output and calls of mpirun of the launcher's script."""
    for name, text in (("mpirun", mpirun), ("sleep", "#!/bin/sh\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    found = mpi_job(kubernetes_cluster(EKS), **given)
    launcher = found["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    script = launcher["command"][2]
    assert launcher["command"][:2] == ["/bin/bash", "-c"]
    # Kubernetes makes one dollar of two in commands.
    assert "$$" not in script
    answer = shell(script, folder)
    return answer.returncode, answer.stdout, (folder / "calls").read_text().splitlines()


def test_launcher_waits_and_runs_every_collective(tmp_path: Path) -> None:
    code, output, calls = launched(tmp_path, MPIRUN, nodes="2", largest="1G")
    assert code == 1
    assert "alltoall on 2 nodes failed" in output
    assert [call.endswith(" true") for call in calls[:4]] == [True, True, True, False]
    runs = [call for call in calls if "_perf -b" in call]
    assert len(runs) == 20
    assert "--np 16 --npernode 8 /opt/nccl-tests/build/all_reduce_perf -b 8 -e 1G" in runs[10]
    assert "-x FI_PROVIDER=efa" in runs[0]
    assert "-x NCCL_SOCKET_IFNAME=^docker,lo,veth" in runs[0]


def test_launcher_ends_if_workers_do_not_answer(tmp_path: Path) -> None:
    code, output, calls = launched(tmp_path, "#!/bin/sh\necho $* >>calls; exit 1\n")
    assert (code, len(calls)) == (92, 60)
    assert "mpirun does not reach every worker" in output

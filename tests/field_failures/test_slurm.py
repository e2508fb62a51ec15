"""The second sample: Slurm, nodes, users, containers, accounting, releases."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from clusterwright_node.inputs import RESOURCE_CONFIG

from clusterwright.catalog import Known, load_catalog
from clusterwright.platforms import known_faults
from tests.field_failures.conftest import MakeNode
from tests.field_failures.parts import House, account, checked, client, refused, spec_file
from tests.field_failures.slurm_conf import slurm_conf, slurm_conf_files
from tests.nodes.containerd import with_containerd
from tests.nodes.unattended_upgrades import APART, TOGETHER, left_alone
from tests.nodes.world import World, input_files
from tests.support import parallelcluster_specs, specs
from tests.support.command_line import clusterwright
from tests.support.synthesis import Assembly, Build

PEOPLE = [{"name": "ada", "uid": 20001}, {"name": "bob", "uid": 20002}]
LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
NODES = ("controller-1", "login-1", "workers-1")


def told(folder: Path, changes: dict[str, Any]) -> str:
    """Return the errors of a ParallelCluster spec, empty if it is valid."""
    path = specs.write(
        folder / "spec.yaml", specs.changed(changes, base=parallelcluster_specs.SMALL)
    )
    answer = clusterwright("check", path, "--offline", "--only", "CW-I017")
    assert answer.exit_code in (0, 3), answer
    return answer.err if answer.exit_code == 3 else ""


# --- releases


def test_parallelcluster_6571_drivers_and_vulnerabilities_of_a_release_are_reported(
    tmp_path: Path,
) -> None:
    p4 = {"compute.2.instance_type": "p4d.24xlarge", "parallelcluster.os": "alinux2023"}
    said = told(tmp_path, {**p4, "parallelcluster.version": "3.11.1"})
    assert "fabric manager does not start on P4" in said
    assert "aws/aws-parallelcluster#6571" in said
    assert "aws/aws-parallelcluster#7601" in said
    # Another operating system is not affected, and the default release has neither fault.
    ubuntu = {**p4, "parallelcluster.os": "ubuntu2204", "parallelcluster.version": "3.11.1"}
    assert "#6571" not in told(tmp_path, ubuntu)
    assert told(tmp_path, p4) == ""
    # A fault of all releases: GPUs without a driver in the published images.
    said = told(tmp_path, {"compute.2.instance_type": "p3.16xlarge"})
    assert "NVIDIA's open driver, which does not support P2, P3, G2 and G3" in said
    assert "aws/aws-parallelcluster#6014" in said
    own = {"image": {"image_id": "ami-0123456789abcdef0"}}
    assert "#6014" not in told(tmp_path, {**own, "compute.2.instance_type": "p3.16xlarge"})


REPORTED = {
    "3.1.1": ("3777", "4651", "4874", "5538", "6015", "7233"),
    "3.3.0": ("4651", "4781", "5151", "5295"),
    "3.6.0": ("5448", "6015", "7233"),
    "3.9.0": ("6238", "6412", "6817", "7095", "genai-video-super-resolution#3"),
}


def test_parallelcluster_7233_published_faults_of_a_release_are_reported(tmp_path: Path) -> None:
    """Each release with a published fault is refused, with the fault in the message."""
    everything = {
        "slurm.accounting": {"kind": "rds"},
        "image": {"image_id": "ami-0123456789abcdef0"},
        "compute.2.instance_type": "p5.48xlarge",
    }
    for version, threads in REPORTED.items():
        said = told(tmp_path, {**everything, "parallelcluster.version": version})
        for thread in threads:
            assert thread in said, (version, thread)
    assert told(tmp_path, everything) == ""
    # Every fault is reported for its last release, if the cluster meets its conditions.
    for fault in known_faults.PARALLELCLUSTER:
        if fault.last is not None and fault.concerns(_cluster(tmp_path, everything)):
            version = ".".join(str(part) for part in fault.last)
            assert fault.what in told(tmp_path, {**everything, "parallelcluster.version": version})


def _cluster(folder: Path, changes: dict[str, Any]) -> Any:
    from clusterwright.platforms.loading import load_cluster

    spec = specs.changed(changes, base=parallelcluster_specs.SMALL)
    return load_cluster(specs.write(folder / "read.yaml", spec)).cluster


def test_awsome_197_image_without_auto_resume_for_gpus_is_found(tmp_path: Path) -> None:
    image = {"image_id": "ami-0123456789abcdef0"}
    old = {"image": {**image, "released": "2024-03-09"}}  # the date of the report
    found = checked(tmp_path, old, "--offline", "--only", "CW-I017").one("CW-I017")
    assert "auto-resume does not work with GPUs configured in Slurm" in found["message"]
    new = {"image": {**image, "released": "2026-09-01"}}
    assert checked(tmp_path, new, "--offline", "--only", "CW-I017").findings == []
    # A missing date is not a pass.
    undated = checked(tmp_path, {"image": image}, "--offline", "--only", "CW-I017")
    assert undated.exit_code == 0
    assert "is not stated; issues until 2024-07-31" in undated.one("CW-I017")["message"]


def test_awsome_584_auto_resume_with_another_slurm_conf_is_not_promised(tmp_path: Path) -> None:
    scripted = {"slurm.configuration": "scripted"}
    found = checked(tmp_path, scripted, "--offline", "--only", "CW-L009").one("CW-L009")
    assert "PrologFlags=Contain" in found["message"]
    # The file that nodes would write.
    conf = slurm_conf(input_files("scripted")["cluster.json"])
    assert "TaskPlugin=task/cgroup,task/affinity\n" in conf
    assert "PrologFlags=Contain\n" in conf
    assert checked(tmp_path, {}, "--offline", "--only", "CW-L009").findings == []


# --- nodes


def test_parallelcluster_2095_interdependent_packages_are_not_upgraded(
    node: MakeNode,
) -> None:
    for configuration in ("managed", "scripted", "parallelcluster"):
        for name in NODES:
            world = node(name, configuration)
            world.run()
            conf = world.root / "etc/apt/apt.conf.d/90clusterwright"
            assert left_alone(conf, *TOGETHER, *APART) == set(TOGETHER)
    # The packages of the reports: the kernel, and NVIDIA's libraries without their module.
    reported = ("linux-image-5.4.0-1025-aws", "libnvidia-common-460", "nvidia-driver-470")
    assert left_alone(conf, *reported) == set(reported)


VOLUME = {
    "target": "/opt/sagemaker",
    "source": "/dev/nvme9n1",
    "fstype": "xfs",
    "options": "rw",
    "by_image": True,
}


def test_awsome_913_every_program_stores_images_off_the_root_volume(
    node: MakeNode,
) -> None:
    """Docker, containerd and Enroot, on nodes with and without local disks, in one place."""
    for name, base in (("controller-1", "opt/sagemaker"), ("workers-1", "opt/dlami/nvme")):
        world = with_containerd(node(name))
        (world.root / "opt/sagemaker").mkdir(parents=True)
        world.change(mounts=[*world.state["mounts"], VOLUME])
        assert world.run().code == 0
        docker = json.loads((world.root / "etc/docker/daemon.json").read_text())["data-root"]
        config = tomllib.loads((world.root / "etc/containerd/config.toml").read_text())
        enroot = (world.root / "etc/enroot/enroot.conf").read_text()
        assert docker == f"/{base}/docker"
        assert config["root"] == f"/{base}/containerd"
        places = re.findall(r"(?m)^ENROOT_\w+_PATH (\S+)", enroot)
        assert len(places) == 4
        assert all(place.startswith(f"/{base}/enroot/") for place in places)


def test_pyxis_12_every_user_has_writable_enroot_folders(node: MakeNode) -> None:
    """Not /run/enroot, which belongs to root, and no folder that others can write to."""
    world = node("workers-1")
    run = world.run()
    for user in run_users(world):
        folder = f"/opt/dlami/nvme/enroot/user-{user['uid']}"
        assert run.machine.owner_of(folder) == (user["uid"], user["gid"])
        assert run.machine.mode_of(folder) == 0o700
    conf = (world.root / "etc/enroot/enroot.conf").read_text()
    assert "ENROOT_RUNTIME_PATH /opt/dlami/nvme/enroot/user-$(id -u)/runtime\n" in conf
    assert "/run/enroot" not in conf


def run_users(world: World) -> list[dict[str, Any]]:
    users: list[dict[str, Any]] = json.loads(
        (world.folder / "inputs/cluster.json").read_text(encoding="utf-8")
    )["users"]
    assert users
    return users


def test_scaffolding_kit_5_pyxis_is_in_the_configuration_of_configless_nodes(
    node: MakeNode,
) -> None:
    """The controller distributes plugstack.conf; a missing plug-in stops the node."""
    for configuration in ("managed", "scripted"):
        world = node("controller-1", configuration)
        assert world.run().code == 0
        stack = (world.root / "opt/slurm/etc/plugstack.conf").read_text()
        assert "required /usr/local/lib/slurm/spank_pyxis.so" in stack
        for name in NODES:
            without = node(name, configuration)
            (without.root / "usr/local/lib/slurm/spank_pyxis.so").unlink()
            run = without.run()
            assert run.code == 1
            assert "step containers failed" in run.last
            assert "spank_pyxis.so" in run.last


def test_parallelcluster_1466_users_can_write_to_lustre(node: MakeNode) -> None:
    for configuration in ("managed", "scripted", "parallelcluster"):
        world = node("controller-1", configuration)
        # As FSx creates a file system with a repository at /checkpoints.
        (world.root / "fsx/checkpoints").mkdir(parents=True, exist_ok=True)
        assert world.run().code == 0
        for path in ("fsx", "fsx/checkpoints"):
            assert (world.root / path).stat().st_mode & 0o7777 == 0o1777


def test_awsome_897_every_user_of_the_spec_can_log_in(node: MakeNode) -> None:
    """On every node, with and without homes on OpenZFS: account, home, keys."""
    for configuration in ("managed", "scripted"):
        for name in NODES:
            world = node(name, configuration)
            run = world.run()
            assert run.code == 0
            for user in run_users(world):
                assert world.state["passwd"][user["name"]]["id"] == user["uid"]
                keys = world.root / "home" / user["name"] / ".ssh/authorized_keys"
                assert all(key in keys.read_text() for key in user["ssh_public_keys"])
                assert keys.parent.stat().st_mode & 0o7777 == 0o700
                owner = run.machine.owner_of(f"/home/{user['name']}/.ssh")
                assert owner == (user["uid"], user["gid"])


def test_awsome_647_jobs_can_lock_memory(node: MakeNode) -> None:
    """EFA's receive buffers are locked memory; jobs must not inherit the 64 KiB of a shell."""
    conf = slurm_conf(input_files("scripted")["cluster.json"])
    assert "PropagateResourceLimitsExcept=MEMLOCK\n" in conf
    for name in NODES:
        world = node(name, "parallelcluster")
        world.run()
        limits = (world.root / "etc/security/limits.d/90-clusterwright.conf").read_text()
        assert {"* soft memlock unlimited", "* hard memlock unlimited"} <= set(limits.splitlines())


def test_parallelcluster_1517_nodes_register_with_sufficient_memory() -> None:
    """For every known instance type: the kernel and the firmware use some of the memory."""
    catalog = load_catalog()
    seen = 0
    for name in catalog.instance_names:
        instance = catalog.instance(name)
        if instance is None or not isinstance(instance.memory_gib, Known):
            continue
        cluster = input_files("scripted")["cluster.json"]
        whole = int(instance.memory_gib.value * 1024)
        cluster["groups"][2].update(instance_type=name, memory_mib=whole)
        (memory,) = re.findall(r"NodeName=.* RealMemory=(\d+) ", slurm_conf(cluster))
        # slurmd -C of a p5.48xlarge in aws-parallelcluster#5797: 2,047,961 of 2,097,152 MiB.
        assert 0 < int(memory) <= whole * 95 // 100
        assert int(memory) < whole * 2_047_961 // 2_097_152
        seen += 1
    assert seen > 50


def test_deepops_1214_devices_are_listed_and_not_detected() -> None:
    """AutoDetect=nvml makes slurmd exit if Slurm was built without NVML."""
    for accelerator, count, line in (
        ("nvidia", 8, "Name=gpu File=/dev/nvidia[0-7]"),
        ("nvidia", 1, "Name=gpu File=/dev/nvidia0"),
        ("neuron", 16, "Name=neuron File=/dev/neuron[0-15]"),
    ):
        cluster = input_files("scripted")["cluster.json"]
        cluster["groups"][2].update(accelerator=accelerator, accelerator_count=count)
        gres = slurm_conf_files(cluster)["gres.conf"]
        assert gres is not None
        assert "AutoDetect=off\n" in gres
        assert "nvml" not in gres.lower()
        (named,) = re.findall(r"(?m)^NodeName=\S+ (.*)$", gres)
        assert named == line


def test_deepops_919_prolog_is_installed_and_needs_no_path(node: MakeNode) -> None:
    """slurm.conf names programs that exist before slurmd starts, by absolute paths."""
    conf = slurm_conf_files(input_files("scripted")["cluster.json"], has_health_programs=True)
    programs = re.findall(
        r"(?m)^(?:Prolog|Epilog|HealthCheckProgram)=(\S+)$", conf["slurm.conf"] or ""
    )
    assert len(programs) == 3
    world = node("workers-1", "scripted")
    run = world.run()
    order = [row["step"] for row in run.lines if row["event"] == "end"]
    assert order.index("health") < order.index("slurm_daemons")
    for path in programs:
        program = world.root / path.lstrip("/")
        assert program.stat().st_mode & 0o111
        first, *rest = program.read_text().splitlines()
        assert first.startswith("#!/")
        called = [line for line in rest if line and not line.startswith(("#", "cd /"))]
        assert called
        assert all(re.search(r"(^|\s)(exec )?/\S+", line) for line in called), called
    assert "Prolog=" not in slurm_conf(input_files("scripted")["cluster.json"])


def test_cluster_toolkit_1554_new_partition_does_not_affect_running_nodes(node: MakeNode) -> None:
    """The set-up is repeated on nodes with jobs: nothing is mounted or restarted twice."""

    name = "second"

    def more(cluster: Any) -> None:
        cluster["groups"].append({**cluster["groups"][2], "name": name, "partition": name})
        cluster["slurm"]["partitions"].append(
            {"name": name, "default": False, "max_time_minutes": None, "priority_tier": 1}
        )

    for configuration in ("managed", "scripted"):
        for which in ("login-1", "workers-1"):
            world = node(which, configuration)
            assert world.run().code == 0
            world.edit("cluster.json", more)
            if configuration == "scripted":
                workers = {"instance_group_name": name, "partition_name": name}
                world.edit(
                    "provisioning_parameters.json",
                    lambda file, new=workers: file["worker_groups"].append(new),
                )
            path = world.root / RESOURCE_CONFIG.lstrip("/")
            resources = json.loads(path.read_text())
            instance = {
                "InstanceName": f"{name}-1",
                "AgentIpAddress": "10.1.9.9",
                "CustomerIpAddress": "10.1.9.9",
                "InstanceId": "i-09999999999999999",
            }
            group = {**resources["InstanceGroups"][2], "Name": name, "Instances": [instance]}
            resources["InstanceGroups"].append(group)
            path.write_text(json.dumps(resources))
            again = world.run()
            assert again.code == 0, again.last
            verbs = {argv[1] for argv in again.machine.ran if argv[0] == "systemctl"}
            assert not verbs & {"start", "stop", "restart", "enable"}, verbs
            programs = {argv[0] for argv in again.machine.ran}
            assert not programs & {"mount", "umount", "mkfs.xfs", "mdadm"}


# --- the file


def test_batch_shipyard_333_partition_name_default_is_refused(tmp_path: Path) -> None:
    for name in ("default", "Default", "DEFAULT"):
        partitions = [{"name": name, "groups": ["workers"]}]
        said = refused(tmp_path, {"slurm.partitions": partitions})
        assert "the partition name `default` is reserved by Slurm" in said
    assert clusterwright("expand", spec_file(tmp_path)).exit_code == 0


def test_openhpc_95_no_node_is_in_slurm_conf_twice(tmp_path: Path) -> None:
    both = [{"name": "a", "groups": ["workers"]}, {"name": "b", "groups": ["workers"]}]
    assert "in two partitions; a group can be in only one" in refused(
        tmp_path, {"slurm.partitions": both}
    )
    twice = [{"name": "a", "groups": ["workers", "workers"]}]
    assert "`workers` is listed twice" in refused(tmp_path, {"slurm.partitions": twice})
    conf = slurm_conf(input_files("scripted")["cluster.json"])
    names = re.findall(r"(?m)^NodeName=(\S+)", conf)
    assert len(names) == len(set(names))


def test_parallelcluster_7340_cluster_name_fits_slurm_tables(tmp_path: Path) -> None:
    """MySQL allows 64 characters, and Slurm's longest suffix has 24."""
    longest = "a" * 40
    for base in (specs.SMALL, parallelcluster_specs.SMALL):
        accounting = {"slurm.accounting": {"kind": "rds"}}
        path = specs.write(
            tmp_path / "s.yaml", specs.changed({**accounting, "environment": longest}, base=base)
        )
        assert clusterwright("expand", path).exit_code == 0
        path = specs.write(
            tmp_path / "s.yaml",
            specs.changed({**accounting, "environment": longest + "a"}, base=base),
        )
        answer = clusterwright("expand", path)
        assert answer.exit_code == 3
        assert "must be at most 40 characters" in answer.err
    assert len(longest + "_assoc_usage_month_table") <= 64


def test_parallelcluster_5437_password_is_readable_for_slurmdbd(
    synth: Callable[[str], Assembly], build: Build, node: MakeNode
) -> None:
    """slurmdbd treats text after # as a comment, and RDS refuses / @ and quotes."""
    rds = {"slurm.accounting": {"kind": "rds"}}
    for assembly in (
        synth("configs/prod.yaml"),
        build(specs.changed(rds, base=parallelcluster_specs.SMALL)),
    ):
        (secret,) = [
            resource["Properties"]["GenerateSecretString"]
            for resource in assembly.resources("AWS::SecretsManager::Secret").values()
            if "accounting" in resource["Properties"]["Description"]
        ]
        assert secret["ExcludePunctuation"] is True
    # A password of another user stops the node before slurmdbd starts, and is not shown.
    arn = "arn:aws:secretsmanager:us-east-1:111122223333:secret:db-AbCdEf"
    for password, works in (("sesame#1", False), ("sesame1", True)):
        world = node("controller-1", "scripted")
        secret_text = json.dumps({"username": "slurm", "password": password})
        world.change(secrets={**world.state["secrets"], arn: secret_text})
        world.edit("cluster.json", lambda cluster: cluster["slurm"].update(accounting="rds"))
        world.edit("deployment.json", lambda deployment: deployment.update(accounting=_rds(arn)))
        run = world.run()
        assert run.code == (0 if works else 1), run.last
        assert works or "characters that slurmdbd.conf does not support" in run.last
        assert "sesame" not in run.text


def _rds(arn: str) -> dict[str, Any]:
    accounting: dict[str, Any] = input_files("managed")["deployment.json"]["accounting"]
    return {**accounting, "secret_arn": arn}


def test_parallelcluster_2701_users_on_the_controller_are_a_finding(tmp_path: Path) -> None:
    people = {"slurm.users": PEOPLE}
    found = checked(tmp_path, people, "--offline", "--only", "CW-L008").one("CW-L008")
    assert "2 users log in on the controller" in found["message"]
    with_login = {**people, "compute.2": LOGIN}
    assert checked(tmp_path, with_login, "--offline", "--only", "CW-L008").findings == []


# --- ParallelCluster's document


def rendered(folder: Path) -> dict[str, Any]:
    specs.write(folder / "spec.yaml", parallelcluster_specs.SMALL)
    answer = clusterwright("render", "parallelcluster", folder / "spec.yaml")
    assert answer.exit_code == 0, answer.err
    document: dict[str, Any] = yaml.safe_load(answer.out)
    return document


def test_parallelcluster_6507_every_kind_of_node_can_download_its_script(tmp_path: Path) -> None:
    """Also login nodes, which have no S3Access.

    the policy with the nodes' permissions applies to them.
    """
    document = rendered(tmp_path)
    places = [
        document["HeadNode"],
        *document["LoginNodes"]["Pools"],
        *document["Scheduling"]["SlurmQueues"],
    ]
    assert len(places) >= 3
    first, *others = [_policies(place) for place in places]
    assert len(first) >= 2
    assert all(found == first for found in others)
    for place in places:
        assert place["CustomActions"]["OnNodeConfigured"]["Script"].startswith("s3://")
    assert "S3Access" not in document["LoginNodes"]["Pools"][0]["Iam"]


def _policies(place: dict[str, Any]) -> list[str]:
    return [row["Policy"] for row in place["Iam"]["AdditionalIamPolicies"]]


# --- the account


def test_parallelcluster_1201_vpc_with_custom_name_servers_is_found(tmp_path: Path) -> None:
    with account():
        house = House()
        assert checked(tmp_path, house.spec(), "--only", "CW-N026").findings == []
        options = house.ec2.create_dhcp_options(
            DhcpConfigurations=[
                {"Key": "domain-name-servers", "Values": ["170.54.240.117", "170.54.240.116"]},
                {"Key": "domain-name", "Values": ["corp.example"]},
            ]
        )["DhcpOptions"]["DhcpOptionsId"]
        house.ec2.associate_dhcp_options(DhcpOptionsId=options, VpcId=house.vpc)
        found = checked(tmp_path, house.spec(), "--only", "CW-N026").one("CW-N026")
    assert "uses 170.54.240.117, 170.54.240.116 for DNS" in found["message"]
    assert "forward AWS names" in found["hint"]


def test_parallelcluster_7457_public_addresses_with_several_cards_are_found(
    tmp_path: Path,
) -> None:
    with account():
        house = House()
        assert checked(tmp_path, house.spec(), "--only", "CW-N012").findings == []
        house.ec2.modify_subnet_attribute(
            SubnetId=house.subnet, MapPublicIpOnLaunch={"Value": True}
        )
        found = checked(tmp_path, house.spec(), "--only", "CW-N012").one("CW-N012")
    assert found["message"] == f"{house.subnet} assigns public addresses at launch"
    assert "MapPublicIpOnLaunch disabled" in found["hint"]


@pytest.mark.parametrize("kind", ["AWS::IAM::ManagedPolicy", "AWS::IAM::Role"])
def test_parallelcluster_5736_policies_that_iam_refuses_are_refused(kind: str) -> None:
    """A template whose policy has grown, and the same within the limit."""
    with account():
        for buckets, status in ((20, "CREATE_COMPLETE"), (250, "ROLLBACK_COMPLETE")):
            ended, reasons = _deployed(f"stack-{buckets}", _template(kind, buckets))
            assert ended == status
            if status == "ROLLBACK_COMPLETE":
                wanted = {
                    "AWS::IAM::ManagedPolicy": "Cannot exceed quota for PolicySize: 6144",
                    "AWS::IAM::Role": "Maximum policy size of 10240 bytes exceeded for role",
                }
                assert any(wanted[kind] in reason for reason in reasons), reasons


def _template(kind: str, buckets: int) -> dict[str, Any]:
    arns = [f"arn:aws:s3:::bucket-of-a-team-with-a-long-name-{n:03d}/*" for n in range(buckets)]
    document = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": arns}],
    }
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "sagemaker.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    properties: dict[str, Any] = {"PolicyDocument": document}
    if kind == "AWS::IAM::Role":
        properties = {
            "AssumeRolePolicyDocument": trust,
            "Policies": [{"PolicyName": "buckets", "PolicyDocument": document}],
        }
    return {"Resources": {"Rights": {"Type": kind, "Properties": properties}}}


def _deployed(name: str, template: dict[str, Any]) -> tuple[str, list[str]]:
    from tests.field_failures import deployment

    client("s3").create_bucket(Bucket=f"templates-{name}")
    outcome = deployment._apply(name, json.dumps(template), protected=False)
    return outcome.status, outcome.reasons

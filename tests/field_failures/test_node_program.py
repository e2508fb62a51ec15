"""Failures on nodes that the design of the node program excludes, shown on simulated nodes."""

from __future__ import annotations

import ast
import inspect
import json
import re
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import boot
from clusterwright_acceptance.checks import efa_devices, shared_memory
from clusterwright_common.probe import Probe
from clusterwright_health.expected import Expected, written
from clusterwright_health.program import main as health
from clusterwright_node import slurm_health
from clusterwright_node.catalogue import step_names
from clusterwright_node.errors import StepError
from clusterwright_node.inputs import parse_cluster
from clusterwright_node.lnet import Interface
from clusterwright_node.slurm_generate import SlurmNode, Surroundings
from clusterwright_node.slurm_generate import files as slurm_files
from clusterwright_node.slurm_topology import Place, topology
from clusterwright_node.steps.efa_transport import compare

from tests.field_failures.conftest import MakeNode
from tests.nodes.acceptance.fake_node import Node as AcceptedNode
from tests.nodes.needrestart import CONF, decisions
from tests.nodes.world import Run, World, input_files
from tests.support.synthesis import Assembly

LIFECYCLE = Path(__file__).resolve().parents[2] / "lifecycle_scripts"

NODES = [
    (name, configuration)
    for configuration in ("managed", "scripted")
    for name in ("controller-1", "login-1", "workers-1")
]

# fmt: off
PACKAGE_MANAGERS = frozenset((
    "apt", "apt-get", "aptitude", "dpkg", "snap", "yum", "dnf", "rpm", "zypper", "brew", "pip",
    "pip3", "pipx", "uv", "conda", "mamba", "npm", "npx", "go", "make", "cargo", "gem",
))
DOWNLOADERS = frozenset((
    "curl", "wget", "aria2c", "git", "svn", "hg", "rsync", "scp", "sftp", "ftp", "ansible",
    "ansible-galaxy", "ansible-playbook", "docker", "podman", "skopeo", "enroot", "aws",
    "gcloud", "az",
))
NETWORK_MODULES = frozenset((
    "urllib", "urllib2", "http", "requests", "ftplib", "telnetlib", "ssl", "smtplib", "xmlrpc",
    "asyncio", "aiohttp", "boto3", "botocore",
))
# fmt: on

LAST_WORDS = re.compile(
    r"clusterwright: step (?P<step>\w+) failed on (?P<node>\S+): (?P<cause>.{10,})\. "
    r"What to do: (?P<hint>.{10,})\. Log: (?P<log>/\S+) on the node.*"
)


def everywhere(node: MakeNode, **state: Any) -> Iterator[tuple[World, Run]]:
    """A first run on every kind of node in both configurations."""
    for name, configuration in NODES:
        world = node(name, configuration, **state)
        yield world, world.run()


_ONLY_SAID = {
    "modprobe",  # a module for GPUDirect Storage: without it, reads use the CPU
    "nv-fabricmanager",  # its version is compared if it answers
    "slurmd",  # as nv-fabricmanager; slurmd.service is what fails without it
    "/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl",
}
PASSED_OVER = {
    # timedatectl provides the same as chronyc, iptables the same as nft.
    "missing_commands": {*_ONLY_SAID, "chronyc", "nft"},
    "hanging_commands": _ONLY_SAID,
}
"""Programs without which a node can be ready; a notice is logged where relevant."""
ASKS_THE_INSTANCE = LIFECYCLE / "clusterwright_spot" / "notice.py"
"""Polls the instance metadata for a Spot interruption notice."""
ASKS_ITS_ACCOUNT = LIFECYCLE / "clusterwright_state" / "commands" / "account.py"
"""Reads the instance identity document."""
ASKS_KUBERNETES = LIFECYCLE / "clusterwright_acceptance" / "kubernetes_api.py"
"""Of the pod that tests nodes: the API server of its own cluster."""
SERVERS = tuple(
    LIFECYCLE / package / "service.py"
    for package in ("clusterwright_credentials", "clusterwright_metrics")
)
"""Serve the node's metrics, and credentials to jobs; they make no requests themselves."""
ADDRESSES = {
    ASKS_THE_INSTANCE: ["http://169.254.169.254"],
    ASKS_ITS_ACCOUNT: ["http://169.254.169.254"],
    ASKS_KUBERNETES: ["https://{}:{}"],
    LIFECYCLE / "clusterwright_node/steps/job_credentials.py": ["http://127.0.0.1:579/job-role"],
    LIFECYCLE / "on_pcs_node.sh": ["http://169.254.169.254}/latest"],
    # Of slurmctld, as `scontrol show config` says it.
    LIFECYCLE / "clusterwright_metrics/sources/slurmctld.py": ["http://{address}/metrics/{path}"],
}
"""Of the instance, of the node itself, and of the cluster's own servers."""
SINCE_THE_START = {"efa_transport", "gpudirect_storage"}
"""Their results are valid since the machine started, so they are checked again after a reboot."""


def programs_in(source: Path) -> Iterator[str]:
    """Names of the programs that a module runs: `machine.query("lsblk", ...)`."""
    for call in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr in ("query", "change", "has_command") and call.args:
            first = call.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def modules_in(source: Path) -> Iterator[str]:
    for statement in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            yield statement.module.partition(".")[0]


def words_of_shell(script: Path) -> set[str]:
    lines = script.read_text(encoding="utf-8").splitlines()
    code = " ".join(line for line in lines if not line.lstrip().startswith("#"))
    return set(re.findall(r"[A-Za-z0-9_.+-]+", code))


def all_programs(node: MakeNode) -> set[str]:
    """All programs that run on any node, and those that the sources name for other cases."""
    seen = {Path(argv[0]).name for _, run in everywhere(node) for argv in run.machine.ran}
    named = {name for path in LIFECYCLE.rglob("*.py") for name in programs_in(path)}
    assert len(seen) > 10
    assert len(named) > 10
    return seen | named


def test_awsome_186_node_program_downloads_nothing_from_the_internet(
    node: MakeNode, synth: Callable[[str], Assembly]
) -> None:
    # AWS services through their endpoints: secrets, and the instance topology. Docker is
    # queried for running containers only.
    assert not (all_programs(node) - {"aws", "docker"}) & (DOWNLOADERS | PACKAGE_MANAGERS)
    for _, run in everywhere(node):
        asked = {argv[1] for argv in run.machine.ran if argv[0] == "docker"}
        assert asked <= {"ps"}
    for source in LIFECYCLE.rglob("*.py"):
        if source not in (ASKS_THE_INSTANCE, ASKS_ITS_ACCOUNT, ASKS_KUBERNETES, *SERVERS):
            assert not set(modules_in(source)) & NETWORK_MODULES, source
    for source in SERVERS:
        assert set(modules_in(source)) & NETWORK_MODULES == {"http"}
        assert re.findall(r"\bhttp\.\w+", source.read_text()) == ["http.server"]
    for script in LIFECYCLE.rglob("*.sh"):
        words = words_of_shell(script) & (DOWNLOADERS | PACKAGE_MANAGERS)
        if script.name == "on_node_configured.sh":
            # ParallelCluster downloads one script, which downloads the others from S3.
            called = re.findall(r"\$\(aws (\S+ \S+)", script.read_text(encoding="utf-8"))
            assert set(called) == {"s3 cp"}
            words -= {"aws"}
        if script.name == "on_pcs_node.sh":
            # PCS too; and the instance's metadata service says the region.
            shell = script.read_text(encoding="utf-8")
            assert set(re.findall(r"\$\(aws (\S+ \S+)", shell)) == {"s3 cp"}
            assert re.findall(r"\$\(curl .*\"(\$\w+)/", shell) == ["$IMDS", "$IMDS"]
            words -= {"aws", "curl"}
        assert not words, script
    for path in LIFECYCLE.rglob("*"):
        if path.suffix in (".py", ".sh"):
            text = path.read_text(encoding="utf-8").replace("s3://", "")
            addresses = re.findall(r"\w+://[^\s\"']*", text)
            assert addresses == ADDRESSES.get(path, []), path
    # Without a request in the spec, there is no internet access.
    closed = synth("configs/dev.yaml")
    for kind in ("AWS::EC2::InternetGateway", "AWS::EC2::NatGateway", "AWS::EC2::Route"):
        assert closed.resources(kind) == {}


def test_awsome_243_node_program_runs_no_package_manager(node: MakeNode) -> None:
    assert not all_programs(node) & PACKAGE_MANAGERS
    for script in LIFECYCLE.rglob("*.sh"):
        assert not words_of_shell(script) & PACKAGE_MANAGERS
    # A lock of another process, such as a package's useradd, is awaited.
    run = node("workers-1", passwd_locked_for=3).run()
    assert run.code == 0
    assert any("cannot lock" in text for text in run.notices())


def test_awsome_188_failing_step_reports_step_cause_and_hint(node: MakeNode) -> None:
    """Every program is missing once and hangs once, on every kind of node."""
    blamed = set()
    for name, configuration in NODES:
        for program in sorted({argv[0] for argv in node(name, configuration).run().machine.ran}):
            for state in ("missing_commands", "hanging_commands"):
                run = node(name, configuration, **{state: [program]}).run()
                if run.code == 0:
                    assert program in PASSED_OVER[state], program
                    continue
                words = LAST_WORDS.fullmatch(run.last)
                assert words, run.last
                assert program in words["cause"]
                failed = [row for row in run.lines if row.get("status") == "failed"]
                assert {row["step"] for row in failed if row["event"] == "end"} == {words["step"]}
                blamed.add(words["step"])
    assert len(blamed) >= 8
    assert blamed <= set(step_names())


def test_found_failing_command_fails_the_node(node: MakeNode) -> None:
    for script in LIFECYCLE.rglob("*.sh"):
        lines = script.read_text(encoding="utf-8").splitlines()
        assert {"set -o errexit", "set -o nounset", "set -o pipefail"} <= set(lines), script
    for name, configuration in NODES:
        for program in sorted({argv[0] for argv in node(name, configuration).run().machine.ran}):
            if program not in PASSED_OVER["missing_commands"]:
                assert node(name, configuration, missing_commands=[program]).run().code == 1
    for name, daemon in (
        ("controller-1", "slurmctld.service"),
        ("workers-1", "slurmd.service"),
    ):
        world = node(name, "scripted")
        world.change(
            image_units={k: v for k, v in world.state["image_units"].items() if k != daemon}
        )
        run = world.run()
        assert run.code == 1
        assert daemon in run.last


def without(world: World, path: str) -> None:
    world.change(mounts=[row for row in world.state["mounts"] if row["target"] != path])


@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
def test_awsome_632_missing_lustre_mount_fails_after_a_wait(node: MakeNode, name: str) -> None:
    late = node(name)
    mounts = late.state["mounts"]
    without(late, "/fsx")
    late.change(events=[{"at": 120, "path": ["mounts"], "value": mounts}])
    run = late.run()
    assert run.code == 0
    assert run.statuses()["lustre"] == "applied"
    assert run.end_of("lustre")["seconds"] >= 120

    never = node(name)
    without(never, "/fsx")
    run = never.run()
    assert run.code == 1
    assert "HyperPod has not mounted Lustre file system fsx at /fsx" in run.last
    assert "988" in run.last

    # Where the step mounts, a failed mount is retried, and Slurm waits for it.
    scripted = node(name, "scripted", mounts_fail_for=3)
    assert scripted.run().code == 0
    broken = node(name, "scripted", mounts_fail_for=10**6)
    run = broken.run()
    assert run.code == 1
    assert "slurm_daemons" not in run.statuses()


@pytest.mark.parametrize("cards", [1, 2, 4, 8, 16, 32])
def test_found_unchanged_counters_are_not_a_success(node: MakeNode, cards: int) -> None:
    """The reported check failed with two or more interfaces; here with every count of a type."""

    def interfaces(count: int) -> list[Interface]:
        return [
            Interface(f"10.1.0.31@efa{n}", (f"rdmap{n}s0",), "up", count, count)
            for n in range(cards)
        ]

    with pytest.raises(StepError, match=r"data to and from /fsx does not use EFA: .* 0 messages"):
        compare(interfaces(7), interfaces(7), "/fsx")
    assert f"over {cards} interfaces" in compare(interfaces(7), interfaces(71), "/fsx")

    run = node("workers-1", efa_moves=[0]).run()
    assert run.code == 1
    assert "does not use EFA" in run.last


def test_found_roles_do_not_depend_on_names(node: MakeNode) -> None:
    """Groups are renamed at random, also to each other's names: every node behaves the same."""
    swaps = [
        {"controller": "login", "login": "workers", "workers": "controller"},
        {"controller": "my-head", "login": "login-group", "workers": "controller-machine"},
    ]
    for name, configuration in NODES:
        usual = node(name, configuration).run()
        for names in swaps:
            world = node(name, configuration)
            for path in (
                *sorted((world.folder / "inputs").iterdir()),
                world.root / "opt/ml/config/resource_config.json",
            ):
                path.write_text(_renamed(path.read_text(), names))
            run = world.run()
            assert run.code == 0, run.text
            assert run.statuses() == usual.statuses()
            programs = [argv[0] for argv in usual.machine.ran]
            assert [argv[0] for argv in run.machine.ran] == programs


def _renamed(text: str, names: dict[str, str]) -> str:
    """The names of groups, and of the nodes named after them, are changed."""

    def change(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: change(child, name) for name, child in value.items()}
        if isinstance(value, list):
            return [change(child, key) for child in value]
        if key in ("name", "Name", "group", "instance_group_name", "controller_group"):
            return names.get(value, value)
        if key == "login_group":
            return names.get(value, value)
        if key == "InstanceName":
            group, _, number = value.rpartition("-")
            return f"{names.get(group, group)}-{number}"
        return value

    return json.dumps(change(json.loads(text)))


def test_found_nodes_rewrite_no_shared_file(node: MakeNode, tmp_path: Path) -> None:
    """Nodes with shared home and Lustre folders: each run keeps the results of the others."""
    shared = {name: tmp_path / name for name in ("home", "fsx")}
    for folder in shared.values():
        folder.mkdir()
    seen: dict[str, str] = {}
    for name in ("controller-1", "login-1", "workers-1", "workers-2", "workers-3"):
        world = node(name, shared_owners=str(tmp_path / "owners"))
        for mount, folder in shared.items():
            (world.root / mount).rmdir()
            (world.root / mount).symlink_to(folder)
        run = world.run()
        assert run.code == 0, run.text
        files = {
            str(path.relative_to(tmp_path)): f"{path.read_text()} {path.stat().st_ino}"
            for folder in shared.values()
            for path in folder.rglob("*")
            if path.is_file()
        }
        # Not even rewritten with the same content: the files of the first node are kept.
        assert seen in ({}, files)
        seen = files
        assert not any("keygen" in argv[0] for argv in run.machine.ran)
    assert seen, "the users' homes hold their keys"
    assert not [name for name in seen if Path(name).name.startswith("id_")]
    assert not [name for name in seen if name.startswith("fsx/")]


def test_found_units_of_the_image_are_not_rewritten(node: MakeNode) -> None:
    for world, run in everywhere(node):
        assert run.code == 0
        folder = world.root / "etc/systemd/system"
        for unit in world.state["image_units"]:
            assert not (folder / unit).exists()
            for extra in folder.glob(f"{unit}.d/*"):
                assert "ExecReload" not in extra.read_text()
                assert "MAINPID" not in extra.read_text()


def test_found_timeout_of_a_wait_fails_the_node(node: MakeNode) -> None:
    # HyperPod's slurm.conf is awaited, and its absence is reported: it is not required.
    controller = node("controller-1", "scripted")
    conf = controller.root / "opt/slurm/etc/slurm.conf"
    conf.write_text("ClusterName=prod\n")
    run = controller.run()
    assert run.code == 0
    assert run.end_of("slurm_files")["seconds"] >= 120
    assert any("slurm.conf is missing or incomplete" in text for text in run.notices())

    run = node("controller-1", "scripted", slurmdbd_up=False).run()
    assert run.code == 1
    assert "the accounting database does not respond" in run.last
    assert not any(argv[:3] == ("systemctl", "start", "slurmctld.service") for argv in _ran(run))

    worker = node("workers-1", "scripted", controller_up=False)
    run = worker.run()
    assert run.code == 1
    assert "slurmctld at 10.1.0.10:6817 does not respond" in run.last

    stranger = node("workers-1")
    stranger.change(address="10.1.0.99")
    run = stranger.run()
    assert run.code == 1
    assert "none of this machine's addresses (10.1.0.99) is in resource_config.json" in run.last


def _ran(run: Run) -> list[tuple[str, ...]]:
    return run.machine.ran


def test_awsome_1165_needrestart_does_not_restart_slurm(node: MakeNode) -> None:
    """On every node, for each of its Slurm daemons; other services are not changed."""
    units = [f"{name}.service" for name in ("slurmd", "slurmctld", "slurmdbd", "sackd")]
    for world, run in everywhere(node):
        assert run.statuses()["needrestart"] == "applied"
        decided = decisions(world.root / CONF, *units, "ssh.service", "cron.service")
        assert {decided[unit] for unit in units} == {"kept"}
        assert decided["ssh.service"] == decided["cron.service"] == "restarted"
        # Without the file, needrestart would restart them.
        (world.root / CONF).write_text("1;\n")
        assert set(decisions(world.root / CONF, *units).values()) == {"restarted"}


def test_found_a_second_run_changes_nothing(node: MakeNode) -> None:
    for world, first in everywhere(node):
        assert first.code == 0
        before = world.picture()
        again = world.run()
        assert again.code == 0
        assert set(again.statuses().values()) <= {"unchanged", "skipped"}
        assert world.picture() == before
        # Neither does one after a reboot, except for checks since the machine started.
        again.machine.reboot()
        after = world.run()
        assert after.code == 0
        changed = {step for step, status in after.statuses().items() if status == "applied"}
        assert changed <= SINCE_THE_START
        assert world.picture()["files"] == before["files"]


def test_found_no_file_is_writable_by_everyone(node: MakeNode) -> None:
    for world, run in everywhere(node):
        assert run.code == 0
        made = [path for path in world.root.rglob("*") if not path.is_symlink()]
        for path in made:
            mode = path.stat().st_mode
            # The local scratch folder is writable for everyone, like /tmp, with the sticky bit.
            assert not mode & stat.S_IWOTH or mode & stat.S_ISVTX, path
            assert not mode & (stat.S_ISUID | stat.S_ISGID), path
        groups = world.state["group"]
        assert groups.get("docker", {"members": []})["members"] == []
        assert not any(str(path).startswith(str(world.root / "tmp")) for path in made)
        for argv in run.machine.ran:
            if argv[0] not in ("docker", "getent"):  # which query
                assert not any(word in ("777", "a+w", "o+w", "docker") for word in argv)


def test_parallelcluster_3668_missing_containers_fail_the_node(
    node: MakeNode,
) -> None:
    assert node("controller-1").run().statuses()["containers"] == "applied"
    for gone in ("usr/bin/enroot", "usr/local/lib/slurm/spank_pyxis.so"):
        world = node("workers-1")
        (world.root / gone).unlink()
        run = world.run()
        assert run.code == 1
        assert "the image has no " in run.last
    world.edit("cluster.json", lambda cluster: cluster["containers"].update(pyxis=False))
    assert world.run().statuses()["containers"] == "skipped"


def test_awsome_427_enroot_unpacks_on_local_disks(node: MakeNode) -> None:
    for configuration in ("managed", "scripted"):
        world = node("workers-1", configuration)
        run = world.run()
        assert run.statuses()["enroot_storage"] == "applied"
        text = (world.root / "etc/enroot/enroot.conf").read_text()
        settings = dict(re.findall(r"^(ENROOT_\w+_PATH)\s+(\S+)", text, re.MULTILINE))
        assert {"ENROOT_CACHE_PATH", "ENROOT_DATA_PATH", "ENROOT_TEMP_PATH"} <= set(settings)
        runtime = {"ENROOT_RUNTIME_PATH"}  # in memory, and small
        for name in set(settings) - runtime:
            assert settings[name].startswith("/opt/dlami/nvme/"), name


def test_parallelcluster_6777_hanging_gpu_does_not_block_the_prolog(tmp_path: Path) -> None:
    commands = tmp_path / "bin"
    commands.mkdir()
    told = tmp_path / "told"
    for name, body in (
        ("nvidia-smi", "sleep 600"),
        ("scontrol", f'echo "$*" >>{told}; echo NodeName=a State=IDLE'),
    ):
        (commands / name).write_text(f"#!/bin/sh\n{body}\n")
        (commands / name).chmod(0o755)
    root = tmp_path / "root"
    (root / "etc/clusterwright").mkdir(parents=True)
    expected = Expected("ip-10-1-0-31", "nvidia", 8, 0, (), None)
    (root / "etc/clusterwright/health.json").write_text(written(expected))
    began = time.monotonic()
    probe = Probe(str(root), deadline_seconds=3.0, search_path=f"{commands}:/usr/bin:/bin")
    assert health(["prolog"], probe) == 1, "the job goes elsewhere"
    assert time.monotonic() - began < 30
    # slurm.conf allows a prolog more time than the program needs at most.
    assert inspect.signature(Probe).parameters["deadline_seconds"].default < 60
    assert slurm_health.PROLOG_TIMEOUT_SECONDS > 60


@pytest.mark.parametrize(
    ("gpus", "code"), [("0, b0, 0, 16, 16", 0), ("", 1)], ids=["sound", "without GPUs"]
)
def test_nebius_265_prolog_ends_in_time_if_slurmctld_does_not_answer(
    tmp_path: Path, gpus: str, code: int
) -> None:
    commands = tmp_path / "bin"
    commands.mkdir()
    asked = tmp_path / "asked"
    for name, body in (
        ("nvidia-smi", f'case "$1" in *remapped*) exit 1;; esac; echo "{gpus}"'),
        ("scontrol", f'echo "$*" >>{asked}; sleep 600'),
    ):
        (commands / name).write_text(f"#!/bin/sh\n{body}\n")
        (commands / name).chmod(0o755)
    root = tmp_path / "root"
    (root / "etc/clusterwright").mkdir(parents=True)
    expected = Expected("ip-10-1-0-31", "nvidia", 1, 0, (), None)
    (root / "etc/clusterwright/health.json").write_text(written(expected))
    began = time.monotonic()
    probe = Probe(str(root), deadline_seconds=3.0, search_path=f"{commands}:/usr/bin:/bin")
    assert health(["prolog"], probe) == code, "slurmd learns the result without slurmctld"
    assert time.monotonic() - began < 30
    assert asked.read_text().splitlines() == ["--oneliner show node ip-10-1-0-31"]
    (logged,) = (root / "var/log/clusterwright/health.jsonl").read_text().splitlines()
    assert json.loads(logged)["error"] == "slurmctld does not respond"
    assert inspect.signature(Probe).parameters["deadline_seconds"].default < 60
    assert slurm_health.PROLOG_TIMEOUT_SECONDS > 60


def test_scaffolding_kit_14_topology_file_names_every_node() -> None:
    nodes = [SlurmNode(f"ip-10-1-0-{n}", f"10.1.0.{n}", "workers") for n in range(1, 40)]
    places = {
        "network nodes": lambda n: Place(("a", f"b{n // 16}"), None),
        "UltraServers": lambda n: Place(("a", f"b{n // 16}"), f"u{n // 18}"),
        "only some": lambda n: Place(("a",), None) if n % 2 else Place((), None),
        "nothing": lambda _: Place((), None),
    }
    problems: list[str] = []
    cluster = parse_cluster(input_files("scripted")["cluster.json"], problems, step_names())
    around = Surroundings("ip-10-1-0-10", "10.1.0.10")
    plugins = {}
    for name, place in places.items():
        known = {node.name: place(index) for index, node in enumerate(nodes)}
        for kind in ("automatic", "none"):
            found = topology(kind, known) if kind != "none" else None
            files = slurm_files(cluster, nodes, around, found)
            match = re.search(r"^TopologyPlugin=(\S+)", files["slurm.conf"] or "", re.MULTILINE)
            plugin = match.group(1) if match else None
            plugins[name, kind] = plugin
            if plugin in (None, "topology/flat"):
                assert files["topology.conf"] is None
                continue
            lists = re.findall(r"Nodes=(\S+)", files["topology.conf"] or "")
            named = {host for each in lists for host in expanded(each)}
            assert named >= {node.name for node in nodes}, (name, kind)
    assert plugins["network nodes", "automatic"] == "topology/tree"
    assert plugins["UltraServers", "automatic"] == "topology/block"


def expanded(hosts: str) -> Iterator[str]:
    """`a-[1-3,7],b` → a-1, a-2, a-3, a-7, b."""
    for prefix, inside in re.findall(r"([^\[,]+)(?:\[([^\]]*)\])?", hosts):
        for part in inside.split(",") if inside else [""]:
            low, _, high = part.partition("-")
            numbers = range(int(low), int(high or low) + 1) if low else []
            yield from [f"{prefix}{n}" for n in numbers] or [prefix]


@pytest.mark.parametrize(
    "nvidia_smi",
    [
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure "
        "that the latest NVIDIA driver is installed and running.",
        None,
    ],
    ids=["the driver is not loaded", "it is not installed"],
)
def test_pcluster_1768_slurmd_does_not_start_without_the_driver(
    nvidia_smi: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """slurmd's unit requires the test of the boot, which does not accept such a node."""
    # The machine's own: a folder of a test is not a file system.
    monkeypatch.setattr(shared_memory, "FLOOR_GIB", 0.0)
    monkeypatch.setattr(shared_memory, "LARGEST_USED", 1.0)
    monkeypatch.setattr(efa_devices, "PAUSE_SECONDS", 0.0)
    node = AcceptedNode(tmp_path)

    def test() -> dict[str, Any]:
        return boot.run_boot(
            node.expected, node.probe, again_seconds=0.0, reports=False, say=lambda _: None
        )

    assert test()["verdict"] == "accepted"
    if nvidia_smi is None:
        node.without("nvidia-smi")
    else:
        node.prints("nvidia-smi", nvidia_smi, exit_code=9)
    (node.root / "proc/driver/nvidia/version").unlink()
    result = test()
    assert result["verdict"] != "accepted"
    assert result["reason"].startswith("gpu-")

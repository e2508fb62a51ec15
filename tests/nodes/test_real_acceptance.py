"""Acceptance as real Slurm runs it: its jobs on nodes that are real slurmd with emulated hardware.

One small cluster, which does not boot, serves all tests: four nodes with a GPU, four of Trainium.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance.expected import Expected, FileSystem
from clusterwright_common import lemon

from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from tests.support import acceptance_programs, specs
from tests.support.real_slurm import RealSlurm
from tests.support.real_slurm_nodes import LIBRARY, SlurmNodes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.slurm,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="namespaces need root on Linux"
    ),
]

FOLDER = "/var/lib/clusterwright/acceptance"
SPEC = {
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "gpu", "role": "compute", "instance_type": "p5.4xlarge", "count": 4},
        {"name": "neuron", "role": "compute", "instance_type": "trn1.32xlarge", "count": 4},
    ],
}
NOT_HERE = ("clock", "locked-memory", "shared-memory", "gemm", "host-copy", "hbm-copy")
"""Checks of what this host cannot offer, or of programs that need a GPU. They are waived, as is
the version of Neuron's driver, which the emulated hardware does not have."""
SHORT_SECONDS = 3
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""That of a service of systemd, as the program is on a cluster."""


class Cluster(SlurmNodes):
    """The nodes, and the acceptance program on the controller."""

    def expected(self, name: str, **changes: Any) -> Expected:
        node = self.nodes[name]
        neuron = node.group == "neuron"
        reason = "the host of the emulated nodes does not have it"
        found: dict[str, Any] = {
            "kind": "neuron" if neuron else "nvidia",
            # MPI uses TCP here, which a group with EFA interfaces does not accept.
            "efa": neuron,
            "lustre": (FileSystem("/fsx", "fs-0abc", "abcdef12"),),
            "scratch_path": "/opt/dlami/nvme",
            "group": node.group,
            "floors": {"pairs": 0.03, "nvme-throughput": 1.0},
            "waivers": tuple(
                {"check": check, "reason": reason, "expires": "9999-12-31", "nodes": []}
                for check in (*NOT_HERE, *(("versions",) if neuron else ()))
            ),
        }
        return Expected(name, node.instance_type, **{**found, **changes})

    def accept(
        self, run: str, nodes: Sequence[str], level: str = "standard"
    ) -> tuple[int, dict[str, Any]]:
        """The exit code and the report of a run."""
        words = [f"--run={run}", f"--level={level}", *(f"--node={name}" for name in nodes)]
        words.append("--lustre=/fsx=1200,125")
        done = self.slurm.run(*self.program_words("acceptance", "cluster", *words), timeout=280)
        report = self.read(f"runs/{run}.json")
        assert report["status"] == "ended", done.text
        return done.returncode, report

    def state(self, level: str) -> None:
        """One turn of the controller's service, with re-checks that are due at once."""
        words = ["--bucket=none", "--environment=test", "--region=us-east-1", "--once"]
        done = self.slurm.run(*self.program_words("state", *words, f"--recheck={level},0"))
        assert done.returncode == 0, done.text
        assert '"bug"' not in done.text

    def wait_recheck(self, within_s: float = 90.0) -> dict[str, Any]:
        """The report of the newest re-check, at its end."""
        wanted = self.slurm.check("sh", "-c", f"ls {FOLDER}/wanted/*-recheck.json | tail -n 1")
        run = wanted.strip().rpartition("/")[2].removesuffix(".json")
        ends = time.monotonic() + within_s
        while self.slurm.run("test", "-e", f"{FOLDER}/runs/{run}/ended").returncode:
            assert time.monotonic() < ends, self.slurm.check("cat", f"{FOLDER}/wanted/{run}.log")
            time.sleep(0.1)
        return dict(self.read(f"runs/{run}.json"))

    def read(self, name: str) -> Any:
        """A file of the acceptance program on the controller."""
        return json.loads(self.slurm.check("cat", f"{FOLDER}/{name}"))

    def program_words(self, package: str, *words: str) -> list[str]:
        module = ["python3", "-B", "-m", f"clusterwright_{package}", *words]
        return ["env", f"PYTHONPATH={LIBRARY}", f"PATH={PATH}", *module]

    def shorten(self, module: str, name: str) -> None:
        """A check that hangs needs its whole time, which is minutes on a cluster."""
        path = f"{LIBRARY}/clusterwright_acceptance/{module}.py"
        self.slurm.check("grep", "--quiet", f"^{name} = ", path)
        self.slurm.check("sed", "--in-place", f"s/^{name} = .*/{name} = {SHORT_SECONDS}.0/", path)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    image = images.image(DEFAULT_STATE / "cache", "trixie", more=acceptance_programs.PACKAGES)
    folder = tmp_path_factory.mktemp("acceptance")
    spec = specs.load(folder, SPEC).cluster
    with RealSlurm(image.root, folder / "machine") as machine:
        found = Cluster(machine, spec)
        acceptance_programs.install(found)
        found.shorten("checks/dcgm_medium", "SECONDS")
        found.shorten("checks/neuron_allreduce", "SECONDS")
        # Nothing of AWS is there: the service does not publish, and does the rest.
        found.program("/usr/local/bin/aws", "#!/bin/sh\nexit 255\n")
        found.start({name: found.expected(name) for name in found.nodes})
        instances = [
            {"InstanceId": f"i-{index:017x}", "CustomerIpAddress": node.address}
            for index, node in enumerate(found.nodes.values())
        ]
        groups = {"InstanceGroups": [{"Name": "all", "Instances": instances}]}
        machine.write({"resource_config.json": json.dumps(groups)}, "/opt/ml/config")
        yield found


def row_of(report: dict[str, Any], node: str, check: str) -> dict[str, Any]:
    one = next(one for one in report["nodes"] if one["name"] == node)
    return dict(next(row for row in one["checks"] if row["id"] == check))


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["verdict"] for one in report["nodes"]}


def wait_for(condition: Callable[[], object], within_s: float = 60.0) -> None:
    ends = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.1)


FORMS = ("1", "2", "3")


def test_a_slow_path_between_good_nodes_is_named(cluster: Cluster) -> None:
    """MPI, fio and DCGM's three forms on good nodes, of which two have a slow link."""
    nodes = cluster.of_group("gpu")
    for node, form in zip(nodes, FORMS, strict=False):
        cluster.fault(node, "dcgm-form", form)
    cluster.link("slow", nodes[0], nodes[1], "100mbit")
    try:
        code, report = cluster.accept("path", nodes)
    finally:
        cluster.unlink("slow", nodes[0])
    (suspect,) = report["suspects"]
    assert (suspect["kind"], suspect["names"]) == ("path", nodes[:2])
    assert suspect["evidence"] == "bad 2 times, both nodes are good with others"
    assert verdicts(report) == dict.fromkeys(nodes, "accepted")
    assert code == 0
    for node in nodes:
        assert row_of(report, node, "dcgm-medium")["verdict"] == "pass"
        assert row_of(report, node, "nvme-throughput")["value"] > 1.0
        assert row_of(report, node, "pairs")["value"] > 0.03
    (lustre,) = (row for row in report["cluster_checks"] if row["id"] == "lustre-write")
    assert (lustre["verdict"], lustre["nodes"]) == ("pass", 4)
    assert lustre["floor"] is not None


def test_what_no_floor_covers_becomes_the_baseline(cluster: Cluster) -> None:
    """After the run before, whose all-reduce over four such nodes nobody has measured."""
    kept = {row["size_mib"]: row for row in cluster.read("baselines.json")["baselines"]}
    before = cluster.read("runs/path.json")["cluster_checks"]
    first = {row["size_mib"]: row for row in before if row["id"] == "cluster-allreduce"}
    assert {row["verdict"] for row in first.values()} == {"unknown"}
    assert set(kept) == set(first)
    for size, row in first.items():
        assert (kept[size]["median"], kept[size]["node_count"]) == (row["value"], 4)


def test_a_slow_node_is_named(cluster: Cluster) -> None:
    nodes = cluster.of_group("gpu")
    cluster.slow(nodes[2:3], "100mbit")
    try:
        code, report = cluster.accept("slow-node", nodes)
    finally:
        cluster.slow(nodes[2:3], None)
    (suspect,) = report["suspects"]
    assert (suspect["kind"], suspect["names"]) == ("node", nodes[2:3])
    assert verdicts(report) == {**dict.fromkeys(nodes, "accepted"), nodes[2]: "rejected"}
    assert code == 1


@pytest.mark.parametrize("how", ["bad", "hangs"])
def test_each_form_of_dcgm_rejects_its_node(cluster: Cluster, how: str) -> None:
    nodes = cluster.of_group("gpu")[: len(FORMS)]
    fault, text = {"bad": ("gpu-ecc", "0"), "hangs": ("dcgm-hang", "")}[how]
    for node, form in zip(nodes, FORMS, strict=True):
        cluster.fault(node, "dcgm-form", form)
        cluster.fault(node, fault, text)
    try:
        code, report = cluster.accept(f"dcgm-{how}", nodes)
    finally:
        for node in nodes:
            cluster.fault(node, "dcgm-form", None)
            cluster.fault(node, fault, None)
    assert code == 1
    assert verdicts(report) == dict.fromkeys(nodes, "rejected")
    for node in nodes:
        row = row_of(report, node, "dcgm-medium")
        if how == "bad":
            assert (row["verdict"], row["action"]) == ("fail", "replace")
            assert "Faulty memory detected on GPU 0" in row["reason"]
        else:
            assert (row["verdict"], row["action"]) == ("hung", "reboot")
            assert row["reason"] == f"dcgmi did not end within {SHORT_SECONDS} s"


def test_trainium_without_a_floor_is_compared_and_kept(cluster: Cluster) -> None:
    """Also libfabric's ping-pong at every EFA device, over TCP."""
    nodes = cluster.of_group("neuron")
    for node, rate in zip(nodes, ("38.0", "38.4", "37.9", "20.0"), strict=True):
        cluster.fault(node, "nccom-gbps", rate)
    code, report = cluster.accept("trainium", nodes)
    assert code == 1
    assert verdicts(report) == {**dict.fromkeys(nodes, "accepted"), nodes[3]: "rejected"}
    slow = row_of(report, nodes[3], "neuron-allreduce")
    assert (slow["verdict"], slow["value"]) == ("fail", 20.0)
    for node in nodes:
        assert row_of(report, node, "efa-loopback")["value"] == 8.0
    (kept,) = (row for row in report["baseline"] if row["check"] == "neuron-allreduce")
    assert (kept["median"], kept["nodes"], kept["unit"]) == (38.0, 3, "GB/s")


def test_trainium_that_fails_hangs_or_lacks_a_device(cluster: Cluster) -> None:
    """And a node that is compared with the baseline of the run before."""
    nodes = cluster.of_group("neuron")
    faults = (("nccom-fails", ""), ("nccom-hangs", ""), ("neuron-lost", "3"))
    for node, (name, text) in zip(nodes, faults, strict=False):
        cluster.fault(node, name, text)
    cluster.fault(nodes[3], "nccom-gbps", "38.1")
    try:
        code, report = cluster.accept("trainium-faults", nodes)
    finally:
        for node, (name, _) in zip(nodes, faults, strict=False):
            cluster.fault(node, name, None)
    assert code == 1
    assert verdicts(report) == {**dict.fromkeys(nodes, "rejected"), nodes[3]: "accepted"}
    failed = row_of(report, nodes[0], "neuron-allreduce")
    assert "Failed to initialize neuron device 3" in failed["reason"]
    hung = row_of(report, nodes[1], "neuron-allreduce")
    assert (hung["verdict"], hung["reason"]) == (
        "hung",
        f"nccom-test did not end within {SHORT_SECONDS} s",
    )
    lost = row_of(report, nodes[2], "neuron-devices")
    assert (lost["reason"], lost["action"]) == (
        "15 Neuron devices, trn1.32xlarge has 16",
        "replace",
    )
    good = row_of(report, nodes[3], "neuron-allreduce")
    assert (good["verdict"], good["value"]) == ("pass", 38.1)
    assert good["source"].startswith("this cluster's baseline of ")


def test_pairs_of_the_job_template_ping_each_other(cluster: Cluster) -> None:
    """The job `efa-pairs` with libfabric's ping-pong between the nodes, over TCP."""
    nodes = cluster.of_group("neuron")
    programs = Path(__file__).parents[2] / "clusterwright/job_templates/programs"
    lifecycle = Path(__file__).parents[2] / "lifecycle_scripts/clusterwright_acceptance"
    for path in (programs / "efa_pairs.py", lifecycle / "pairs.py"):
        cluster.slurm.write({path.name: path.read_text()}, "/opt")
    words = ["--pingpong=/usr/local/bin/fi_pingpong", "--seconds=10", "--report=/opt/pairs.json"]
    cluster.slurm.check(
        "salloc", "--quiet", f"--nodelist={','.join(nodes)}", "--nodes=4", "--exclusive",
        "python3", "/opt/efa_pairs.py", *words, *nodes,
    )  # fmt: skip
    report = json.loads(cluster.slurm.check("cat", "/opt/pairs.json"))
    assert (report["good"], report["suspects"]) == (nodes, [])
    assert all(test["mb_per_second"] > 0 for test in report["tests"])


@pytest.fixture
def accepted(cluster: Cluster) -> list[str]:
    """The nodes of Trainium, which are the only ones that were ever tested, and are accepted."""
    nodes = cluster.of_group("neuron")
    cluster.slurm.check("rm", "-rf", FOLDER)
    code, _ = cluster.accept("before", nodes, "quick")
    assert code == 0
    return nodes


def test_a_recheck_finds_the_lemon(cluster: Cluster, accepted: list[str]) -> None:
    """Its third day with a fault: it is replaced, where the fault alone asks for a reboot."""
    bad, instance = accepted[3], f"i-{list(cluster.nodes).index(accepted[3]):017x}"
    book: lemon.Book = {}
    for days in (9, 5):
        book = lemon.add(
            book, bad, instance, lemon.Happening(time.time() - days * 86_400, "xid", "Xid 94")
        )
    cluster.slurm.write({lemon.FILE: json.dumps(lemon.to_json(book))}, FOLDER)
    port = "/sys/class/infiniband/rdmap79s0/ports/1/state"
    cluster.on(bad, "tee", port, stdin="1: DOWN")
    try:
        cluster.state("quick")
        report = cluster.wait_recheck()
    finally:
        cluster.on(bad, "tee", port, stdin="4: ACTIVE")
    assert verdicts(report) == {**dict.fromkeys(accepted, "accepted"), bad: "rejected"}
    jobs = cluster.slurm.check("scontrol", "--oneliner", "show", "jobs").splitlines()
    rechecks = [job for job in jobs if "JobName=clusterwright-recheck" in job]
    assert len(rechecks) == 4
    record = cluster.read(f"nodes/{bad}.json")
    assert (record["state"], record["action"]) == ("rejected", "replace")
    assert record["reason"] == (
        "efa-devices: rdmap79s0 is not active; replace: faults on 3 days of the last 28"
    )
    cluster.state("quick")
    known = {row["node"]: row["events"] for row in cluster.read(lemon.FILE)["nodes"]}
    kinds = [event["kind"] for event in known[bad]]
    assert [kind for kind in kinds if kind in lemon.FAULTS] == ["xid", "xid", "rejected"]


def test_a_recheck_gives_way_to_a_job(cluster: Cluster, accepted: list[str]) -> None:
    before = [cluster.read(f"nodes/{name}.json") for name in accepted]
    cluster.state("standard")
    squeue = ("squeue", "--noheader", "--name=clusterwright-recheck", "--states=RUNNING")
    wait_for(lambda: cluster.slurm.check(*squeue).strip())
    count = str(len(cluster.nodes))
    job = cluster.slurm.check(
        "sbatch", "--parsable", f"--nodes={count}", "--exclusive", "--output=/dev/null",
        "--chdir=/", "--wrap=true",
    ).strip()  # fmt: skip
    report = cluster.wait_recheck(within_s=30.0)
    reason = f"stopped: job {job} waits for nodes"
    assert report["reason"] == reason
    assert verdicts(report) == dict.fromkeys(accepted, "unknown")
    show = ("scontrol", "show", "job", job)
    wait_for(lambda: "JobState=COMPLETED" in cluster.slurm.check(*show))
    assert [cluster.read(f"nodes/{name}.json") for name in accepted] == before

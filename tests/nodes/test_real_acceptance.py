"""Acceptance as real Slurm runs it: its jobs on nodes that are real slurmd with emulated hardware.

One small cluster, which does not boot, serves all tests: four nodes with a GPU, four of Trainium.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import benchmarks
from clusterwright_common import lemon, xid, xid_history

from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from tests.support import acceptance_programs, specs
from tests.support.acceptance_cluster import FOLDER, AcceptanceCluster
from tests.support.real_slurm import RealSlurm
from tests.support.real_slurm_nodes import LIBRARY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.slurm,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="namespaces need root on Linux"
    ),
]

KERNEL_LOG = "/run/emulation/kernel.log"
"""What the emulated dmesg prints."""
SPEC = {
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "gpu", "role": "compute", "instance_type": "p5.4xlarge", "count": 4},
        {"name": "neuron", "role": "compute", "instance_type": "trn1.32xlarge", "count": 4},
    ],
}
SHORT_SECONDS = 8
"""A healthy node ends in one second, and in several on a busy machine."""
PAIR_SECONDS = 20.0
"""Of the pairs where one hangs. Good ones take two seconds, and longer on a busy machine."""


class Cluster(AcceptanceCluster):
    """Also the controller's service, and programs whose time-outs are shorter."""

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

    def shorten(self, module: str, name: str, seconds: float = SHORT_SECONDS) -> float:
        """A check that hangs needs its whole time, which is minutes on a cluster; return that."""
        path = f"{LIBRARY}/clusterwright_acceptance/{module}.py"
        (line,) = self.slurm.check("grep", f"^{name} = ", path).splitlines()
        self.slurm.check("sed", "--in-place", f"s/^{name} = .*/{name} = {seconds}/", path)
        return float(line.partition("=")[2])

    @contextlib.contextmanager
    def pairs_end_after(self, seconds: float) -> Iterator[None]:
        """The time limit of a test of two nodes."""
        usual = self.shorten("cluster_run", "PAIR_SECONDS", seconds)
        try:
            yield
        finally:
            self.shorten("cluster_run", "PAIR_SECONDS", usual)


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
        # The bucket has no earlier records, and takes none: the service does the rest.
        found.program("/usr/local/bin/aws", '#!/bin/sh\n[ "$1" = s3 ] || exit 255\n')
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


@dataclass(frozen=True)
class Run:
    """A run that several tests look at, with the baselines that it left."""

    code: int
    report: dict[str, Any]
    baselines: list[dict[str, Any]]


@pytest.fixture(scope="module")
def slow_path(cluster: Cluster) -> Run:
    """A cluster without a baseline: DCGM's three forms on good nodes, two with a slow link."""
    nodes = cluster.of_group("gpu")
    cluster.slurm.check("rm", "--force", f"{FOLDER}/baselines.json")
    for node, form in zip(nodes, FORMS, strict=False):
        cluster.fault(node, "dcgm-form", form)
    cluster.link("slow", nodes[0], nodes[1], "100mbit")
    try:
        code, report = cluster.accept("path", nodes)
    finally:
        cluster.unlink("slow", nodes[0])
    return Run(code, report, cluster.read("baselines.json")["baselines"])


def test_a_slow_path_between_good_nodes_is_named(cluster: Cluster, slow_path: Run) -> None:
    """With MPI, fio and DCGM on good nodes."""
    nodes, report = cluster.of_group("gpu"), slow_path.report
    (suspect,) = report["suspects"]
    assert (suspect["kind"], suspect["names"]) == ("path", nodes[:2])
    said = "bad 2 times, both nodes are good with others: "
    assert re.fullmatch(rf"{said}[\d.]+ GB/s, the floor is [\d.]+ GB/s", suspect["evidence"])
    assert verdicts(report) == dict.fromkeys(nodes, "accepted")
    failed = [str(row["reason"]) for row in report["cluster_checks"] if row["verdict"] == "fail"]
    assert failed == []
    assert slow_path.code == 1
    for node in nodes:
        assert row_of(report, node, "dcgm-medium")["verdict"] == "pass"
        assert row_of(report, node, "nvme-throughput")["value"] > 1.0
        assert row_of(report, node, "pairs")["value"] > 0.03
    (lustre,) = (row for row in report["cluster_checks"] if row["id"] == "lustre-write")
    assert (lustre["verdict"], lustre["nodes"]) == ("pass", 4)
    assert lustre["floor"] is not None


def test_what_no_floor_covers_becomes_the_baseline(slow_path: Run) -> None:
    """Nobody has measured an all-reduce over four such nodes."""
    kept = {row["size_mib"]: row for row in slow_path.baselines}
    rows = slow_path.report["cluster_checks"]
    first = {row["size_mib"]: row for row in rows if row["id"] == "cluster-allreduce"}
    said = "; ".join(str(row["reason"]) for row in first.values())
    assert {row["verdict"] for row in first.values()} == {"unknown"}, said
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


def test_a_node_that_hangs_in_pairs_is_named(cluster: Cluster) -> None:
    """Its jobs are ended at the time limit, so that the other nodes of its pairs go on."""
    nodes = cluster.of_group("gpu")
    cluster.fault(nodes[1], "all-reduce-hangs")
    try:
        with cluster.pairs_end_after(PAIR_SECONDS):
            code, report = cluster.accept("hung-pair", nodes)
    finally:
        cluster.fault(nodes[1], "all-reduce-hangs", None)
    (suspect,) = report["suspects"]
    assert (suspect["kind"], suspect["names"]) == ("node", nodes[1:2])
    assert suspect["evidence"].endswith(f": did not end within {PAIR_SECONDS:.0f} s")
    assert verdicts(report) == {**dict.fromkeys(nodes, "accepted"), nodes[1]: "rejected"}
    row = row_of(report, nodes[1], "pairs")
    assert (row["verdict"], row["action"]) == ("fail", "check")
    assert code == 1
    wait_for(lambda: not cluster.slurm.check("squeue", "--noheader").strip())


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


@pytest.fixture(scope="module")
def trainium(cluster: Cluster) -> Run:
    """The first run on the nodes of Trainium, of which one is slow."""
    nodes = cluster.of_group("neuron")
    for node, rate in zip(nodes, ("38.0", "38.4", "37.9", "20.0"), strict=True):
        cluster.fault(node, "nccom-gbps", rate)
    code, report = cluster.accept("trainium", nodes)
    return Run(code, report, cluster.read("baselines.json")["baselines"])


def test_trainium_without_a_floor_is_compared_and_kept(cluster: Cluster, trainium: Run) -> None:
    """Also libfabric's ping-pong at every EFA device, over TCP."""
    nodes, report = cluster.of_group("neuron"), trainium.report
    assert trainium.code == 1
    assert verdicts(report) == {**dict.fromkeys(nodes, "accepted"), nodes[3]: "rejected"}
    slow = row_of(report, nodes[3], "neuron-allreduce")
    assert (slow["verdict"], slow["value"]) == ("fail", 20.0)
    for node in nodes:
        assert row_of(report, node, "efa-loopback")["value"] == 8.0
    (kept,) = (row for row in report["baseline"] if row["check"] == "neuron-allreduce")
    assert (kept["median"], kept["nodes"], kept["unit"]) == (38.0, 3, "GB/s")


def test_trainium_over_several_nodes_is_compared_with_the_guides_example(
    cluster: Cluster, trainium: Run
) -> None:
    """Pairs have a floor; an all-reduce over four nodes has none, and becomes the baseline."""
    assert trainium.report["suspects"] == []
    for node in cluster.of_group("neuron"):
        row = row_of(trainium.report, node, "pairs")
        assert (row["verdict"], row["value"]) == ("pass", 46.0)
    rows = [row for row in trainium.report["cluster_checks"] if row["id"] == "cluster-allreduce"]
    assert [(row["size_mib"], row["nodes"], row["value"]) for row in rows] == [
        (mib, 4, 46.0) for mib in (128, 256, 512, 1024)
    ]
    kept = [row for row in trainium.baselines if row["check"] == "cluster-allreduce"]
    mine = [row for row in kept if row["instance_type"] == "trn1.32xlarge"]
    assert {row["size_mib"] for row in mine} == {128, 256, 512, 1024}


COUNTERS = """
import sys
from clusterwright_acceptance import cluster_run, launcher, slurm_nodes
from clusterwright_common.probe import Probe

started = launcher.SrunLauncher(Probe(), resources=slurm_nodes.resources(Probe()))
found = cluster_run.traffic_of(sys.argv[1:], started)
print(*(len(found.get(node, ())) for node in sys.argv[1:]))
"""
"""What srun brings of the interfaces of nodes."""


def test_the_counters_of_32_interfaces_come_whole(cluster: Cluster) -> None:
    """srun writes at most 1,024 bytes of a line."""
    nodes, folder = cluster.of_group("neuron")[:2], "/sys/class/infiniband"
    for node in nodes:
        first = cluster.on(node, "ls", folder).split()[0]
        more = " ".join(f"{folder}/more{number}" for number in range(24))
        cluster.on(
            node, "sh", "-c", f"for one in {more}; do cp --archive {folder}/{first} $one; done"
        )
    try:
        words = ["env", f"PYTHONPATH={LIBRARY}", "python3", "-B", "-c", COUNTERS, *nodes]
        assert cluster.slurm.check(*words).split() == ["32", "32"]
    finally:
        for node in nodes:
            cluster.on(node, "sh", "-c", f"rm --recursive {folder}/more*")


@dataclass(frozen=True)
class Pairs:
    """A fault on the second node of Trainium, and what the pairs conclude from it."""

    fault: str
    kind: str
    evidence: str


PAIRS = {
    "slow": Pairs("bench-gbps", "node", "12.5 GB/s, the floor is 40.03 GB/s"),
    "path": Pairs("bench-path", "path", "20 GB/s, the floor is 40.03 GB/s"),
    "fails": Pairs("bench-fails", "node", "nccom-test exited 1: 1 errors found - test failed"),
    "hangs": Pairs("bench-hangs", "node", f"did not end within {PAIR_SECONDS:.0f} s"),
}


@pytest.mark.usefixtures("trainium")
@pytest.mark.parametrize("how", PAIRS)
def test_pairs_of_trainium_name_a_node_or_a_path(cluster: Cluster, how: str) -> None:
    nodes, wanted = cluster.of_group("neuron"), PAIRS[how]
    cluster.fault(nodes[3], "nccom-gbps", "38.1")
    cluster.fault(nodes[1], wanted.fault, {"slow": "12.5", "path": nodes[0]}.get(how, ""))
    try:
        with cluster.pairs_end_after(PAIR_SECONDS):
            code, report = cluster.accept(f"trainium-{how}", nodes)
    finally:
        cluster.fault(nodes[1], wanted.fault, None)
    (suspect,) = report["suspects"]
    bad = nodes[:2] if wanted.kind == "path" else nodes[1:2]
    assert (suspect["kind"], suspect["names"]) == (wanted.kind, bad)
    assert suspect["evidence"].endswith(wanted.evidence)
    rejected = {} if wanted.kind == "path" else {nodes[1]: "rejected"}
    assert verdicts(report) == {**dict.fromkeys(nodes, "accepted"), **rejected}
    assert code == 1
    wait_for(lambda: not cluster.slurm.check("squeue", "--noheader").strip())


@pytest.mark.usefixtures("trainium")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("nccom-old", "nccom-test has no --slurm-mode: MPI over SSH is not used"),
        ("nccom-starts-nothing", "Requested nodes are busy"),
    ],
)
def test_trainium_whose_pairs_do_not_start_is_unknown(
    cluster: Cluster, fault: str, reason: str
) -> None:
    nodes = cluster.of_group("neuron")[:2]
    usual = cluster.shorten("neuron_ranks", "START_SECONDS")
    for node in nodes:
        cluster.fault(node, fault)
    try:
        code, report = cluster.accept(fault, nodes)
    finally:
        cluster.shorten("neuron_ranks", "START_SECONDS", usual)
        for node in nodes:
            cluster.fault(node, fault, None)
    assert (code, report["suspects"]) == (2, [])
    assert verdicts(report) == dict.fromkeys(nodes, "unknown")
    for node in nodes:
        row = row_of(report, node, "pairs")
        assert (row["verdict"], row["reason"][-len(reason) :]) == ("unknown", reason)


@pytest.mark.usefixtures("trainium")
def test_trainium_that_fails_hangs_or_lacks_a_device(cluster: Cluster) -> None:
    """And a node that is compared with the baseline of the first run."""
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


@pytest.mark.usefixtures("trainium")
def test_a_node_that_hangs_on_lustre_is_named(cluster: Cluster) -> None:
    """By the lines of the others, which srun had passed on before its time was over."""
    nodes = cluster.of_group("neuron")
    cluster.fault(nodes[3], "nccom-gbps", "38.1")
    cluster.fault(nodes[1], "lustre-hangs")
    usual = cluster.shorten("lustre", "SECONDS", PAIR_SECONDS)
    try:
        code, report = cluster.accept("hung-lustre", nodes)
    finally:
        cluster.shorten("lustre", "SECONDS", usual)
        cluster.fault(nodes[1], "lustre-hangs", None)
    text = f"fio did not end within {PAIR_SECONDS:.0f} s"
    row = report["cluster_checks"][-1]
    assert (row["id"], row["verdict"], row["reason"]) == (
        "lustre-write",
        "hung",
        f"{text} on {nodes[1]}",
    )
    (suspect,) = report["suspects"]
    assert (suspect["names"], suspect["evidence"]) == (
        nodes[1:2],
        f"lustre-write: /fsx: {text}",
    )
    assert verdicts(report) == {**dict.fromkeys(nodes, "accepted"), nodes[1]: "rejected"}
    assert code == 1
    wait_for(lambda: not cluster.slurm.check("squeue", "--noheader").strip())


def test_pairs_of_the_job_template_ping_each_other(cluster: Cluster) -> None:
    """The job `efa-pairs` with libfabric's ping-pong between the nodes, over TCP."""
    nodes = cluster.of_group("neuron")
    programs = Path(__file__).parents[2] / "clusterwright/job_templates/programs"
    lifecycle = Path(__file__).parents[2] / "lifecycle_scripts/clusterwright_acceptance"
    for path in (programs / "efa_pairs.py", lifecycle / "pairs.py"):
        cluster.slurm.write({path.name: path.read_text()}, "/opt")
    words = [
        "--pingpong=/usr/local/bin/fi_pingpong", "--seconds=10", "--report=/opt/pairs.json",
        f"--arguments={' '.join(benchmarks.arguments('fi_pingpong', device='DEVICE'))}",
    ]  # fmt: skip
    cluster.slurm.check(
        "salloc", "--quiet", f"--nodelist={','.join(nodes)}", "--nodes=4", "--exclusive",
        "python3", "/opt/efa_pairs.py", *words, *nodes,
    )  # fmt: skip
    report = json.loads(cluster.slurm.check("cat", "/opt/pairs.json"))
    assert (report["good"], report["suspects"]) == (nodes, [])
    assert all(test["mb_per_second"] > 0 for test in report["tests"])


@dataclass(frozen=True)
class Xid:
    """A message of the driver, and what acceptance makes of it."""

    text: str
    state: str
    action: str = "none"
    reason: str = ""

    @property
    def message(self) -> str:
        switch = int(self.text.partition(",")[0]) >= 10_000
        kind = "nvidia-nvswitch0: SXid" if switch else "NVRM: Xid"
        return f"{kind} (PCI:0000:53:00): {self.text}"


_AT = "on 0000:53:00:"
XIDS = {
    "ignore": Xid("63, Row Remapper: New row (0x00) marked for remapping", "accepted"),
    "restart_application": Xid("13, Graphics Exception: ESR 0x505648", "accepted"),
    "reset_gpu": Xid(
        "95, Uncontained: LTC TAG", "rejected", "reboot", f"95 {_AT} uncontained memory error"
    ),
    "workflow_48": Xid(
        "48, An uncorrectable double bit error (DBE) has been detected on GPU",
        "rejected", "reboot", f"48 {_AT} double bit ECC error",
    ),
    "workflow_45": Xid("45, Preemptive Channel Removal", "accepted"),
    "workflow_nvlink": Xid(
        "74, NVLink: fatal error", "rejected", "reboot", f"74 {_AT} NVLink error"
    ),
    "workflow_nvlink5": Xid(
        "149, NETIR_LINK_EVT Nonfatal", "accepted", "none",
        f"149 {_AT} NVLink 5 error; Xid 154 states the action",
    ),
    "restart_vm": Xid(
        "151, Key rotation Error", "rejected", "reboot", f"151 {_AT} the machine must be restarted"
    ),
    "restart_bare_metal": Xid(
        "79, GPU has fallen off the bus.", "rejected", "replace",
        f"79 {_AT} GPU has fallen off the bus",
    ),
    "check_mechanicals": Xid(
        "54, Auxiliary power is not connected", "rejected", "replace",
        f"54 {_AT} power or seating of the GPU",
    ),
    "check_uvm": Xid(
        "159, CHI Non-Data Error", "accepted", "none",
        f"159 {_AT} error in unified memory: reset the GPU if unified memory is in use",
    ),
    "update_software": Xid(
        "78, vGPU Start Error", "accepted", "none",
        f"78 {_AT} driver and software do not match: update them",
    ),
    "report_issue": Xid(
        "61, Internal micro-controller breakpoint/warning", "accepted", "none",
        f"61 {_AT} report it to NVIDIA; drain only if the GPU also fails the quick check",
    ),
    "recovery_action": Xid(
        "154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
        "rejected", "reboot", f"154 {_AT} recovery action 'Node Reboot Required'",
    ),
    "undocumented": Xid(
        "999, A code of a later driver", "accepted", "none",
        f"999 {_AT} NVIDIA's catalogue does not have this code",
    ),
    "fatal": Xid(
        "20034, Fatal, Link 30 LTSSM Fault Up", "rejected", "replace",
        f"SXid 20034 {_AT} fatal NVSwitch error",
    ),
    "non_fatal": Xid("20009, Non-fatal, Link 28 RX Short Error Rate", "accepted"),
}  # fmt: skip
"""One message of each bucket of the table, the recovery actions and NVSwitch's included."""


@pytest.fixture(scope="module")
def of_buckets(cluster: Cluster) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """The record of a node with the message of a bucket, and its row of the report, by bucket."""
    gpus = cluster.of_group("gpu")
    found = {}
    for number in range(0, len(XIDS), len(gpus)):
        buckets = list(XIDS)[number : number + len(gpus)]
        nodes = gpus[: len(buckets)]
        for node, bucket in zip(nodes, buckets, strict=True):
            line = f"{time.monotonic():.6f} {XIDS[bucket].message}\n"
            cluster.on(node, "tee", KERNEL_LOG, stdin=line)
        try:
            _, report = cluster.accept(f"xid-{number}", nodes, "quick")
        finally:
            for node in nodes:
                cluster.on(node, "rm", "--force", KERNEL_LOG, xid_history.FILE)
        for node, bucket in zip(nodes, buckets, strict=True):
            found[bucket] = cluster.read(f"nodes/{node}.json"), row_of(report, node, "xid")
    return found


def test_every_bucket_has_a_message() -> None:
    table = xid.read_table().content
    assert set(XIDS) == {*table["buckets"], *table["switch"]}
    for bucket, one in XIDS.items():
        message = xid.parse_line(one.message)
        assert message is not None
        (verdict,) = xid.decide([message], xid.read_table())
        assert verdict.bucket == bucket


@pytest.mark.parametrize("bucket", XIDS)
def test_an_xid_of_each_bucket(
    of_buckets: dict[str, tuple[dict[str, Any], dict[str, Any]]], bucket: str
) -> None:
    record, row = of_buckets[bucket]
    wanted = XIDS[bucket]
    assert (record["state"], record["action"]) == (wanted.state, wanted.action)
    assert (row["reason"], row["action"]) == (wanted.reason, wanted.action)
    assert row["verdict"] == ("fail" if wanted.state == "rejected" else "pass")
    assert record["reason"] == (f"xid: {wanted.reason}" if wanted.state == "rejected" else "")


def test_a_kernel_log_that_cannot_be_read_is_unknown(cluster: Cluster) -> None:
    node = cluster.of_group("gpu")[0]
    programs = ("/usr/bin/dmesg", "/usr/bin/journalctl")
    for program in programs:
        cluster.on(node, "mount", "--bind", "/usr/bin/false", program)
    try:
        code, report = cluster.accept("xid-unread", [node], "quick")
    finally:
        for program in programs:
            cluster.on(node, "umount", program)
    record, row = cluster.read(f"nodes/{node}.json"), row_of(report, node, "xid")
    reason = "neither dmesg nor journalctl shows the kernel's log"
    assert (row["verdict"], row["reason"]) == ("unknown", reason)
    assert (code, record["state"], record["reason"]) == (2, "unknown", f"xid: {reason}")


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

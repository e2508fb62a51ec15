"""The levels standard and full from the first check to the report, with stubs of the programs.

Every node is a folder with commands that print the forms of the real programs; the controller's
program starts the node program's checks on them, and nccl-tests and fio over several of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import registry
from clusterwright_acceptance.checks import efa_devices, shared_memory
from clusterwright_acceptance.cluster_program import Wanted, run_cluster
from clusterwright_acceptance.expected import FILE
from clusterwright_acceptance.launcher import Launched
from clusterwright_acceptance.node_run import run_level
from clusterwright_acceptance.slurm_nodes import SlurmNode
from clusterwright_common import records
from clusterwright_common.probe import Probe

from tests.nodes.acceptance.fake_node import Node
from tests.nodes.acceptance.srun_output import through_srun

PING_PONG = """bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
64      10      =10      1.2k        0.00s      7.13       8.97       0.11"""

ALL_REDUCE = r"""#!/bin/sh
value=400
for slow in $(cat {folder}/slow); do
  case ",$NODES," in *",$slow,"*) value=120 ;; esac
done
[ "$NODES" = "$(cat {folder}/path)" ] && value=110
echo "n0:77 NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"
echo "#       size         count      type   redop    root     time   algbw   busbw #wrong"
mib=${{2%M}}
while [ "$mib" -le "${{4%M}}" ]; do
  echo "$((mib * 1048576)) 1 float sum -1 9.9 1.0 $value 0 9.9 1.0 $value 0"
  mib=$((mib * 2))
done
echo "# Out of bounds values : 0 OK"
echo "# Avg bus bandwidth    : $value"
"""

FIO = """case "$*" in
*json*) echo '{"jobs": [{"error": 0, "write": {"bw_bytes": 6e9}, "read": {"bw_bytes": 7e9}}]}' ;;
*)
  for word; do case $word in --name=*) printf "3;fio-3.39;${word#*=}" ;; esac; done
  i=3
  while [ $i -lt 130 ]; do printf ';4000000'; i=$((i + 1)); done
  ;;
esac"""

GOOD_LOSSES = [float(2.0 - step / 50).hex() for step in range(50)]
ODD_LOSSES = [*GOOD_LOSSES[:-1], (1.5).hex()]


def diagnostic(form: str = "test_categories", failure: str = "") -> str:
    """What `dcgmi diag --json` prints, in the three forms of its versions."""
    result: dict[str, Any] = {"gpu_ids": "0", "status": "Fail" if failure else "Pass"}
    if failure:
        result["warnings"] = [failure]
    tests = [{"name": "Memory", "results": [result]}]
    if form == "test_categories":
        return json.dumps({"DCGM GPU Diagnostic": {"test_categories": [{"tests": tests}]}})
    return json.dumps(
        {"categories": [{"tests": tests}]} if form == "categories" else {"tests": tests}
    )


class Cluster:
    """Nodes by name, and srun: `slow` nodes, and a `path` between two nodes, are slow."""

    def __init__(self, folder: Path, names: Sequence[str], *, efa: bool = True) -> None:
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir()
        self.nodes = {name: equipped(folder / name, name, efa) for name in names}
        self.impatient: set[str] = set()
        self.sent = dict.fromkeys(names, 0)
        self.lock = threading.Lock()
        self.is_slow()
        self.tool("all_reduce_perf", ALL_REDUCE.format(folder=folder))
        self.tool("fio", f"#!/bin/sh\n{FIO}\n")

    def is_slow(self, *nodes: str, path: str = "none") -> None:
        (self.folder / "slow").write_text(" ".join(nodes))
        (self.folder / "path").write_text(path)

    def tool(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    @through_srun
    def run(
        self,
        nodes: Sequence[str],
        argv: Sequence[str],
        *,
        tasks_per_node: int,
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> Launched:
        if argv[0] == "cat":
            return labelled((self.nodes[nodes[0]].root / FILE.lstrip("/")).read_text())
        if "counters" in argv:
            rows = [{"node": name, "efa": {"rdmap0s0": self._sent(name)}} for name in nodes]
            return labelled("\n".join(json.dumps(row) for row in rows))
        if "node" in argv:
            (name,) = nodes
            node, level = self.nodes[name], argv[argv.index("--level") + 1]
            dcgm = registry.check("dcgm-medium").timeout_seconds

            def probe(seconds: float) -> Probe:
                short = seconds == dcgm and name in self.impatient
                return node.probe(1.0 if short else 120.0)

            found = run_level(level, node.expected, probe, run="r")
            return labelled(json.dumps(found), 0 if found["verdict"] == "accepted" else 1)
        each = nodes if "fio" in argv[2] else [nodes[0]]
        done = [self._on(name, nodes, argv, env) for name in each]
        with self.lock:
            for name in nodes:
                self.sent[name] += 4096
        return labelled("\n".join(one.stdout for one in done), max(one.returncode for one in done))

    def _on(
        self, name: str, nodes: Sequence[str], argv: Sequence[str], env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        words = {"SLURMD_NODENAME": name, "NODES": ",".join(nodes), **env}
        return subprocess.run(
            list(argv),
            env={"PATH": f"{self.bin}{os.pathsep}/usr/bin:/bin", **words},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def _sent(self, name: str) -> dict[str, int]:
        return {"tx_bytes": self.sent[name], "rdma_write_bytes": self.sent[name]}

    def accept(self, level: str) -> dict[str, Any]:
        return run_cluster(
            Wanted("r", level, {"/fsx": (38400, 500)}),
            [SlurmNode(name, "workers") for name in self.nodes],
            lambda _: self,
            self.folder / "kept",
            say=lambda _: None,
        )


def labelled(text: str, code: int = 0) -> Launched:
    """As `srun --label` prints it."""
    return Launched(code, "\n".join(f"0: {line}" for line in text.splitlines()), "")


def equipped(folder: Path, name: str, efa: bool) -> Node:
    """A good node with stubs of every program of the levels standard and full."""
    node = Node(folder)
    node.expect(node=name, scratch_path="/scratch", efa=efa, floors={"pairs": 300.0})
    node.write("/scratch/.keep", "")
    node.write("/sys/devices/virtual/dmi/id/board_asset_tag", f"i-{name}\n")
    node.findmnt(
        {
            "/fsx": ("10.1.0.9@tcp:/abcdef12", "lustre"),
            "/home": ("10.1.0.8:/", "nfs4"),
            "/scratch": ("/dev/md0", "xfs"),
        }
    )
    counters = f"{node.root}/sys/class/infiniband/$FI_EFA_DEVICE_NAME/ports/1/hw_counters"
    node.command("sleep", "true")  # between the starts of the two ends
    node.command(
        "fi_pingpong",
        f'[ "$7" = -B ] && exit 0\nsent=$(cat {counters}/tx_bytes)\n'
        f"echo $((sent + 4096)) >{counters}/tx_bytes\ncat <<E\n{PING_PONG}\nE",
    )
    node.prints("dcgmi", diagnostic())
    copies(node, 1450.0)
    (node.bin / "all_reduce_perf").write_text(
        ALL_REDUCE.format(folder=folder.parent).replace("value=400", "value=476")
    )
    (node.bin / "all_reduce_perf").chmod(0o755)
    node.command("fio", FIO)
    torch(node, [GOOD_LOSSES] * 8)
    return node


def copies(node: Node, own_memory: float) -> None:
    """nvbandwidth: GB/s within each GPU, and between each GPU and the host."""
    cells = " ".join([f"{own_memory:.2f}"] * 8), " ".join(["55.30"] * 8)
    node.command(
        "nvbandwidth",
        f'case "$2" in device_local_copy) echo " 0 {cells[0]}" ;; *) echo " 0 {cells[1]}" ;; esac',
    )


def torch(node: Node, losses: Sequence[Sequence[str]]) -> None:
    products = json.dumps({"wrong": {}, "products": 96})
    text = json.dumps({"losses": losses})
    node.write(
        "/opt/pytorch/bin/python3",
        f"#!/bin/sh\ncase \"$2\" in *products*) echo '{products}' ;;\n"
        f"*losses*) echo '{text}' ;; esac\n",
    )
    (node.root / "opt/pytorch/bin/python3").chmod(0o755)


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["verdict"] for one in report["nodes"]}


def reason(report: dict[str, Any], name: str) -> str:
    return next(str(one["reason"]) for one in report["nodes"] if one["name"] == name)


@pytest.fixture(autouse=True)
def folders_as_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shared memory is the machine's own: a folder of a test is not a file system."""
    monkeypatch.setattr(efa_devices, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(shared_memory, "FLOOR_GIB", 0.0)
    monkeypatch.setattr(shared_memory, "LARGEST_USED", 1.0)


@pytest.fixture
def two(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path, ["n0", "n1"])


def test_standard_tells_a_slow_node_a_bad_path_and_bad_gpus_apart(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, [f"n{number}" for number in range(8)], efa=False)
    cluster.is_slow("n4", path="n0,n1")
    for number, form in enumerate(("test_categories", "categories", "tests")):
        cluster.nodes[f"n{number}"].prints("dcgmi", diagnostic(form))
    failing = diagnostic("categories", "DCGM_FR_NVLINK_DOWN")
    cluster.nodes["n3"].prints("dcgmi", failing, 226)
    copies(cluster.nodes["n5"], 1200.0)
    cluster.nodes["n6"].command("dcgmi", "exec /bin/sleep 60")
    cluster.impatient.add("n6")
    report = cluster.accept("standard")
    assert verdicts(report) == {
        **dict.fromkeys(("n0", "n1", "n2", "n7"), "accepted"),
        **dict.fromkeys(("n3", "n4", "n5", "n6"), "rejected"),
    }
    suspects = {(one["kind"], tuple(one["names"])) for one in report["suspects"]}
    assert suspects == {("path", ("n0", "n1")), ("node", ("n4",))}
    assert reason(report, "n3").startswith("dcgm-medium: Memory failed on GPU 0")
    assert reason(report, "n4").startswith("pairs: ")
    # No floor is known: the nodes themselves decide, and the figure is kept.
    assert reason(report, "n5").startswith("hbm-copy: ")
    assert reason(report, "n6").startswith("dcgm-medium: dcgmi did not end")
    kept = {row["check"]: row["median"] for row in report["baseline"]}
    assert kept["hbm-copy"] == 1450.0
    tests = {row["id"]: row["verdict"] for row in report["cluster_checks"]}
    assert tests == {"cluster-allreduce": "pass", "lustre-write": "pass"}
    assert records.read(tmp_path / "kept/nodes/n4.json")["state"] == "rejected"


def test_a_later_run_compares_with_the_kept_figure(tmp_path: Path) -> None:
    first = Cluster(tmp_path, ["n0", "n1", "n2"], efa=False)
    assert set(verdicts(first.accept("standard")).values()) == {"accepted"}
    for node in first.nodes.values():
        copies(node, 1300.0)
        (node.root / "var/lib/clusterwright/acceptance/journal.json").unlink()
    for path in (tmp_path / "kept/runs").rglob("*.json"):
        path.unlink()
    report = first.accept("standard")
    assert set(verdicts(report).values()) == {"rejected"}
    assert reason(report, "n0").startswith("hbm-copy: ")


def test_full_finds_a_gpu_that_computes_otherwise(two: Cluster) -> None:
    torch(two.nodes["n1"], [*[GOOD_LOSSES] * 7, ODD_LOSSES])
    report = two.accept("full")
    (row,) = [
        check
        for one in report["nodes"]
        for check in one["checks"]
        if (one["name"], check["id"]) == ("n1", "training-step")
    ]
    assert row["verdict"] == "fail"
    assert row["reason"] == "GPU 7: other losses than the 7 other GPUs"
    ran = {check["id"] for check in report["nodes"][0]["checks"]}
    assert {"training-step", "dcgm-extended", "gemm", "efa-loopback", "hbm-copy"} <= ran
    assert verdicts(report)["n1"] == "rejected"
    # With one other node nothing tells which figure without a floor is right.
    assert reason(report, "n0").startswith(("hbm-copy: ", "nvme-throughput: ", "pairs: "))

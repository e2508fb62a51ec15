"""Compute nodes of RealSlurm: each a real slurmd with namespaces, hardware and network of its own.

They are no machines: there is no systemd, and a node starts in a fraction of the time of one that
boots. The controller's root file system is theirs; what a node keeps for itself is in memory. The
hardware is that of the node image (`/usr/lib/emulation`), the network a virtual Ethernet at a
bridge. Two nodes can have a link of their own, which is slower.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from clusterwright_acceptance.expected import FILE, Expected, written
from clusterwright_node import slurm_generate
from clusterwright_node.slurm_generate import SlurmNode, Surroundings

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal.nodes.hardware import hardware_of
from stacks.lifecycle import node_files
from tests.support.real_slurm import RealSlurm
from tests.support.slurm_configuration import SITE, parse, without_accounting

LIBRARY = "/opt/clusterwright/lib"
FAULTS = "/run/emulation/faults"
SHARED = "/srv/emulation/lustre"
_LIFECYCLE = Path(__file__).parents[2] / "lifecycle_scripts"
_OWN = "/srv/nodes"
_NETWORK = """
set -e
ip address del "$1/32" dev lo
ip link add nodes type bridge
ip address add "$1/24" dev nodes
ip link set nodes up
mkdir -p /run/netns
"""
_ADD = """
set -e
ip netns add "$1"
ip link add "port$3" type veth peer name eth0 netns "$1"
ip link set "port$3" master nodes up
ip -n "$1" link set lo up
ip -n "$1" address add "$2/24" dev eth0
ip -n "$1" link set eth0 up
"""
_LINK = """
set -e
ip link add "$1" netns "$2" type veth peer name "$1" netns "$4"
for end in "$2 $5" "$4 $3"; do
  node=${end% *} other=${end#* }
  ip -n "$node" link set "$1" up
  ip -n "$node" route add "$other/32" dev "$1"
  ip netns exec "$node" tc qdisc add dev "$1" root tbf rate "$6" burst 32kbit latency 400ms
done
"""
_START = f"""
set -e
own={_OWN}/$1
hostname "$1"
mount --make-rprivate /
mount --bind /run/munge /mnt
mount -t tmpfs tmpfs /run
mkdir -p /run/munge /run/emulation /run/lib /run/spool /run/etc /run/dev /fsx /opt/dlami/nvme
mount --bind /mnt /run/munge
for pair in lib:/var/lib/clusterwright spool:/var/spool/slurmd etc:/etc/clusterwright; do
  mkdir -p "${{pair#*:}}"
  mount --bind "/run/${{pair%%:*}}" "${{pair#*:}}"
done
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs tmpfs /opt/dlami/nvme
mkdir -p /etc/emulation
mount -t tmpfs tmpfs /etc/emulation
cp "$own/hardware.json" /etc/emulation/hardware.json
cp "$own/acceptance.json" {FILE}
# Its own devices: the folder of the controller is that of the host.
mount -t tmpfs tmpfs /run/dev
mkdir -p /run/dev/shm /run/dev/pts
for device in null zero full random urandom tty; do
  touch "/run/dev/$device"
  mount --bind "/dev/$device" "/run/dev/$device"
done
ln -s /proc/self/fd /run/dev/fd
mount --rbind /run/dev /dev
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
cat /proc/sys/kernel/random/uuid >/run/uuid
mount --bind /run/uuid /proc/sys/kernel/random/boot_id
/usr/lib/emulation/set_up.py
mount -t lustre fs-0abc@tcp:/abcdef12 /fsx
echo $$ >"$own/pid"
exec slurmd -D -N "$1"
"""


@dataclasses.dataclass(frozen=True)
class ComputeNode:
    """A node of the group `group`, which has an address in 10.1.0.0/24."""

    name: str
    address: str
    group: str
    instance_type: str


class SlurmNodes:
    """The compute nodes of a spec's groups, on the machine of the controller."""

    def __init__(self, slurm: RealSlurm, cluster: Cluster) -> None:
        self.slurm = slurm
        self.nodes: dict[str, ComputeNode] = {}
        for group in cluster.compute:
            for _ in range(group.count if group.role == "compute" else 0):
                address = f"10.1.0.{31 + len(self.nodes)}"
                name = "ip-" + address.replace(".", "-")
                self.nodes[name] = ComputeNode(name, address, group.name, group.instance_type)
        self._install()
        hosts = [f"{one.address} {one.name}" for one in self.nodes.values()]
        known = f"{slurm.ADDRESS} {slurm.NAME}"
        text = "\n".join(["127.0.0.1 localhost", known, *hosts, "10.1.0.9 fs-0abc", ""])
        slurm.write({"hosts": text}, "/etc")
        slurm.write(self._configuration(cluster))
        slurm.check("mkdir", "-p", f"{SHARED}/fs-0abc/abcdef12")
        slurm.check("bash", "-c", _NETWORK, "bash", slurm.ADDRESS)

    def of_group(self, name: str) -> list[str]:
        return [node.name for node in self.nodes.values() if node.group == name]

    def start(self, expected: Mapping[str, Expected]) -> None:
        """Start slurmctld and every slurmd; `expected` is the acceptance file of each node."""
        self.slurm.start_controller()
        for index, node in enumerate(self.nodes.values()):
            hardware = hardware_of(node.instance_type).as_file(f"i-{index:017x}")
            own = f"{_OWN}/{node.name}"
            files = {"hardware.json": json.dumps(hardware)}
            files["acceptance.json"] = written(expected[node.name])
            self.slurm.check("mkdir", "-p", own)
            self.slurm.write(dict(files), own)
            self.slurm.check("bash", "-c", _ADD, "bash", node.name, node.address, str(index))
            namespaces = ["ip", "netns", "exec", node.name, "unshare", "--mount", "--uts"]
            self.slurm.spawn(*namespaces, "bash", "-c", _START, "bash", node.name)
        self.wait_idle()

    def wait_idle(self, within_s: float = 60.0) -> None:
        """Wait until every node is idle."""
        ends = time.monotonic() + within_s
        while True:
            text = self.slurm.check("sinfo", "--noheader", "--Node", "--format=%N %T")
            states = dict(line.split() for line in text.splitlines())
            if set(states.values()) == {"idle"} and states.keys() == self.nodes.keys():
                return
            assert time.monotonic() < ends, f"{states}\n{self.slurm.log()}\n{self.logs()}"
            time.sleep(0.1)

    def link(self, name: str, first: str, second: str, rate: str) -> None:
        """Connect two nodes by a link of their own, with a rate of tc(8)."""
        ends = [first, self.nodes[first].address, second, self.nodes[second].address]
        self.slurm.check("bash", "-c", _LINK, "bash", name, *ends, rate)

    def unlink(self, name: str, node: str) -> None:
        """Remove a link; its routes go with it."""
        self.slurm.check("ip", "-n", node, "link", "del", name)

    def slow(self, nodes: Sequence[str], rate: str | None) -> None:
        """Limit what the nodes send to a rate of tc(8); None ends it."""
        for node in nodes:
            words = ["tc", "-netns", node, "qdisc"]
            if rate is None:
                self.slurm.check(*words, "del", "dev", "eth0", "root")
            else:
                limit = ["tbf", "rate", rate, "burst", "32kbit", "latency", "400ms"]
                self.slurm.check(*words, "add", "dev", "eth0", "root", *limit)

    def on(self, node: str, *command: str, stdin: str | None = None) -> str:
        """Run a command on a node, which must succeed."""
        return self.slurm.check(*self.entering(node), *command, stdin=stdin)

    def entering(self, node: str) -> list[str]:
        """The words before a command of the machine that make it one of a node."""
        pid = self.slurm.check("cat", f"{_OWN}/{node}/pid").strip()
        return ["nsenter", f"--target={pid}", "--mount", "--net", "--uts", "--root", "--wd"]

    def expect(self, expected: Expected) -> None:
        """Write a node's acceptance file."""
        self.on(expected.node, "tee", FILE, stdin=written(expected))

    def fault(self, node: str, name: str, text: str | None = "") -> None:
        """Add a fault of the emulated hardware, or remove it with None."""
        if text is None:
            self.on(node, "rm", "--force", f"{FAULTS}/{name}")
        else:
            self.on(node, "tee", f"{FAULTS}/{name}", stdin=text)

    def program(self, path: str, text: str) -> None:
        """Install a program on all nodes."""
        self.slurm.write({path.rpartition("/")[2]: text}, path.rpartition("/")[0])
        self.slurm.check("chmod", "755", path)

    def logs(self) -> str:
        """The last lines of every slurmd."""
        return self.slurm.run("sh", "-c", "tail -n 5 /var/log/slurm/slurmd-*.log").text

    def _install(self) -> None:
        """The node program's packages, which the node program would install."""
        target = self.slurm.root_from_outside / LIBRARY.lstrip("/")
        for package in ("acceptance", "common", "state", "health"):
            name = f"clusterwright_{package}"
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(_LIFECYCLE / name, target / name, ignore=ignored)

    def _configuration(self, cluster: Cluster) -> dict[str, str | None]:
        """What the node program generates, with nodes that run instead of nodes of a cloud."""
        settings = {
            key: value for key, value in SITE["slurm.conf"].items() if "Suspend" not in key
        }
        del settings["ResumeProgram"]
        settings |= {
            "SlurmdParameters": "config_overrides",
            "SlurmdLogFile": "/var/log/slurm/slurmd-%n.log",
            "KillWait": "2",
        }
        site = {**SITE, "slurm.conf": settings}
        parsed = without_accounting(parse(node_files.cluster_json(cluster, load_catalog())))
        nodes = [SlurmNode(one.name, one.address, one.group) for one in self.nodes.values()]
        surroundings = Surroundings(RealSlurm.NAME, RealSlurm.ADDRESS, site=site)
        return dict(slurm_generate.files(parsed, nodes, surroundings, None))

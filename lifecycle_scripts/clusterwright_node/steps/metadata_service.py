"""Let only root and named services reach the instance metadata service.

It gives out the credentials of the node's role. HyperPod has no setting for it, and every job user
would otherwise have the node's permissions: the munge key, the network interfaces, the logs.
Packets to the service are rejected unless the process that sends them runs as root, or as the
account of an agent of AWS or of `slurm.metadata_service_users`; packets that are forwarded, from a
container with a network of its own, are dropped. The rules are in tables of their own, which
Docker does not change, and a unit installs them at each boot before the network. Jobs get the
credentials of another role, see `job_credentials`.

Source of the addresses: EC2 user guide, "Access instance metadata for an EC2 instance".
"""

from __future__ import annotations

from clusterwright_node import systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 60
RETRIES = 2

IPV4, IPV6 = "169.254.169.254", "fd00:ec2::254"
TABLE = "clusterwright_metadata"
CHAIN = "CLUSTERWRIGHT-METADATA"
UNIT = "clusterwright-metadata.service"
RULES = "/etc/clusterwright/metadata-service.nft"
LEGACY = {"iptables": IPV4, "ip6tables": IPV6}
AGENTS = ("root", "aoc", "cwagent", "ec2-instance-connect")
"""Root, and the accounts of AWS's OpenTelemetry collector, CloudWatch agent and EC2 Instance
Connect where the image has them. Session Manager's and HyperPod's agents run as root."""
_PEOPLE = range(1000, 60_000)
"""UIDs of people (login.defs, UID_MIN and UID_MAX)."""
_NOBODY = 65_534


def applies(node: Node) -> Verdict:
    if node.is_parallelcluster:
        return skip(
            "ParallelCluster restricts it on the head node (Imds: Secured); elsewhere jobs have"
            " the role of their queue"
        )
    return APPLIES


def check(node: Node) -> Verdict:
    for path, text in _files(node).items():
        if node.machine.read_text(path) != text:
            return missing(f"{path} is not current")
    if not systemd.has_unit(node, UNIT, unit_text(node)):
        return missing(f"{UNIT} is not active and enabled")
    reason = _not_in_effect(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    for path, text in _files(node).items():
        node.machine.write_text(path, text, mode=0o644)
    was_active = systemd.is_active(node, UNIT)
    systemd.install_unit(node, UNIT, unit_text(node))
    if was_active:
        # It remains active after it has run, so that a start alone changes nothing.
        systemd.restart(node, UNIT)


def user_ids(node: Node) -> list[int]:
    """UIDs that may reach the service. Raises StepError for the account of a person."""
    found = set()
    named = node.inputs.cluster.slurm.metadata_service_users
    # It prints those that exist, and exits with 2 if one does not.
    printed = node.machine.query("getent", "passwd", *dict.fromkeys((*AGENTS, *named))).stdout
    for line in printed.splitlines():
        name, _, uid, *_ = line.split(":")
        if int(uid) in _PEOPLE or int(uid) == _NOBODY:
            raise StepError(
                f"{name} has the uid {uid}: it is not the account of a service",
                "name system accounts only in slurm.metadata_service_users",
            )
        found.add(int(uid))
    return sorted(found)


def unit_text(node: Node) -> str:
    """Ordered after services that replace all rules, and before the network."""
    commands = [f"/usr/sbin/nft --file {RULES}"] if _has_nft(node) else _legacy_commands(node)
    lines = "".join(f"ExecStart={command}\n" for command in commands)
    return f"""# Written by clusterwright_node.
[Unit]
Description=Restrict the instance metadata service to root and named services
DefaultDependencies=no
After=local-fs.target nftables.service netfilter-persistent.service ufw.service firewalld.service
Wants=network-pre.target
Before=network-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
Environment=PATH=/usr/sbin:/sbin:/usr/bin:/bin
{lines}
[Install]
WantedBy=multi-user.target
"""


def rules_text(user_ids: list[int]) -> str:
    """Rules of nftables, which replace an earlier version of themselves in one transaction.

    A connection is refused with a reset: after an ICMP message it would wait for its timeout.
    """
    users = ", ".join(map(str, user_ids))
    return f"""# Written by clusterwright_node.
table inet {TABLE}
delete table inet {TABLE}
table inet {TABLE} {{
\tchain output {{
\t\ttype filter hook output priority -10; policy accept;
\t\tip daddr {IPV4} meta skuid {{ {users} }} accept
\t\tip6 daddr {IPV6} meta skuid {{ {users} }} accept
\t\tip daddr {IPV4} meta l4proto tcp reject with tcp reset
\t\tip6 daddr {IPV6} meta l4proto tcp reject with tcp reset
\t\tip daddr {IPV4} drop
\t\tip6 daddr {IPV6} drop
\t}}
\tchain forward {{
\t\ttype filter hook forward priority -10; policy accept;
\t\tip daddr {IPV4} drop
\t\tip6 daddr {IPV6} drop
\t}}
}}
"""


def legacy_text(user_ids: list[int]) -> str:
    """A chain for iptables-restore, which replaces it in one transaction."""
    allowed = "".join(f"-A {CHAIN} -m owner --uid-owner {uid} -j RETURN\n" for uid in user_ids)
    return (
        f"# Written by clusterwright_node.\n*filter\n:{CHAIN} - [0:0]\n{allowed}"
        f"-A {CHAIN} -p tcp -j REJECT --reject-with tcp-reset\n-A {CHAIN} -j DROP\nCOMMIT\n"
    )


def _files(node: Node) -> dict[str, str]:
    ids = user_ids(node)
    if _has_nft(node):
        return {RULES: rules_text(ids)}
    return {_legacy_path(name): legacy_text(ids) for name in _legacy(node)}


def _has_nft(node: Node) -> bool:
    return node.machine.has_command("nft")


def _legacy(node: Node) -> list[str]:
    """The commands of an image without nftables; IPv6 only where there is a command for it."""
    if not node.machine.has_command("iptables"):
        raise StepError(
            "the image has neither nft nor iptables, so every user would have the node's role",
            "use an image with nftables or iptables",
        )
    return [name for name in LEGACY if node.machine.has_command(name)]


def _legacy_path(name: str) -> str:
    return f"/etc/clusterwright/metadata-service.{name}"


def _legacy_rules(name: str) -> tuple[str, ...]:
    """What refers to the chain; forwarded packets in a table that Docker does not use."""
    address = LEGACY[name]
    return (f"OUTPUT -d {address} -j {CHAIN}", f"FORWARD -t mangle -d {address} -j DROP")


def _legacy_commands(node: Node) -> list[str]:
    found = []
    for name in _legacy(node):
        found.append(f"/bin/sh -c '{name}-restore --wait --noflush {_legacy_path(name)}'")
        for rule in _legacy_rules(name):
            found.append(f"/bin/sh -c '{name} -w -C {rule} || {name} -w -I {rule}'")
    return found


def _not_in_effect(node: Node) -> str | None:
    """What the kernel lacks, None if nothing."""
    if _has_nft(node):
        result = node.machine.query("nft", "list", "table", "inet", TABLE)
        # `nft` prints rules in its own form: compare what matters.
        wanted = ("hook output", "hook forward", "reject", "drop", IPV4, IPV6, "skuid")
        lacks = [text for text in wanted if text not in result.stdout]
        return f"the kernel has no complete table {TABLE}" if lacks or not result.ok else None
    for name in _legacy(node):
        for rule in _legacy_rules(name):
            if not node.machine.query(name, "-w", "-C", *rule.split()).ok:
                return f"the kernel lacks the rule `{name} {rule}`"
    return None

"""An ordinary job user tries to become more: the node's role, Slurm, other users, root.

Each promise is one kind of attempt, made in a job and in a shell on the nodes that users reach.
What only reads is also run as root, where it must succeed: an attempt that fails because a program
or a file is missing shows nothing. The user is the first of the spec without `sudo`, else one that
is created for the scenario.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 16
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "metadata": "the instance metadata service, and so the node's role, is closed to users",
    "metadata-of-containers": "a container with a separate network does not reach it either",
    "metadata-of-services": "root and the node's services still reach it",
    "metadata-at-boot": "the unit of the rules, which a boot starts, restores them",
    "job-role": "a job gets the credentials of the role for jobs, and no others",
    "munge-key": "the key of MUNGE or Slurm and what the program keeps of secrets are root's",
    "database": "the accounting database and its password are closed to users",
    "accounting": "a user cannot become an administrator of Slurm",
    "files": "files of other users can be neither read nor removed",
    "jobs": "jobs of other users can be neither ended, changed nor joined",
    "scheduler": "nodes, partitions and the configuration of Slurm cannot be changed",
    "sockets": "sockets of Docker, containerd and systemd do not obey users",
    "journal": "the journal and the logs of the program cannot be read or written",
    "sudo": "sudo and su do not make a user root",
    "containers": "root inside a user namespace has the rights of the user on the node's files",
    "cron": "no file that cron or systemd runs as root can be written",
    "services": "the health and checkpoint services cannot be stopped, replaced or deceived",
    "scripts": "nothing that root runs can be written, and the scripts' bucket is closed",
}

USER, UID = "mallory", 5998
IMDS = "169.254.169.254"
_ASK = (
    "curl --silent --show-error --fail --max-time 4 --request PUT"
    " --header 'X-aws-ec2-metadata-token-ttl-seconds: 60' http://{}/latest/api/token"
)


class Attempt(NamedTuple):
    """A command that must fail. `control`: root must succeed with it on the same node."""

    command: str
    control: bool = False


def run(context: ScenarioContext) -> None:
    with _user(context) as user:
        _prepare(context)
        for name in PROMISES:
            # Each attempt is of interest, whatever became of the one before.
            with contextlib.suppress(Broken), context.promise(name):
                _CHECKS[name](context, user)


# --- the metadata service


def _metadata(context: ScenarioContext, user: str) -> None:
    if _is_parallelcluster(context):
        context.note(
            "ParallelCluster restricts the head node (Imds: Secured), which is not emulated;"
            " elsewhere jobs have the role of their queue: docs/explanations/threat-model.md"
        )
        return
    attempts = [
        Attempt(_ASK.format(IMDS), control=True),
        Attempt(_ASK.format(f"[::ffff:{IMDS}]")),
        # Root in a user namespace is the user outside of it.
        Attempt(f"unshare --user --map-root-user {_ASK.format(IMDS)}"),
        Attempt("aws sts get-caller-identity --region us-east-1"),
    ]
    _refused(user, attempts, _everywhere(context))
    node = context.compute[-1]
    job = context.submit(
        f"{_ASK.format(IMDS)} >/dev/null && echo reached || echo refused",
        user=user,
        options=_options(context, node),
    )
    job.wait("COMPLETED", within_s=60)
    context.expect("refused" in job.output(), f"in a job: {job.output()!r}")


def _metadata_of_containers(context: ScenarioContext, _: str) -> None:
    if _is_parallelcluster(context):
        context.note("see `metadata`")
        return
    node = context.compute[-1]
    # As Docker's bridge: addresses behind the node's own, which forwards and translates.
    node.must(_BRIDGE)
    try:
        for target, reached in ((_router(node), True), (IMDS, False)):
            answer = node.run(
                f"ip netns exec cwtest timeout 5 bash -c 'exec 3<>/dev/tcp/{target}/80'"
            )
            context.expect(answer.ok is reached, f"{target}: {answer.output_tail}")
    finally:
        node.run(_NO_BRIDGE)


def _metadata_of_services(context: ScenarioContext, _: str) -> None:
    for node in context.nodes():
        node.must(_ASK.format(IMDS))
        node.must(f"aws sts get-caller-identity --region {context.cluster.region}")


def _metadata_at_boot(context: ScenarioContext, user: str) -> None:
    if _is_parallelcluster(context):
        context.note("see `metadata`")
        return
    node = context.compute[-1]
    node.must("nft flush ruleset")
    context.expect(node.run(_ASK.format(IMDS), user=user).ok, "nothing but the rules closes it")
    # What a boot does with the unit; in the scenario `reboot-and-replace` a node boots.
    node.must("systemctl restart clusterwright-metadata.service")
    _refused(user, [Attempt(_ASK.format(IMDS), control=True)], [node])
    enabled = node.must("systemctl show clusterwright-metadata.service --property=UnitFileState")
    context.expect("=enabled" in enabled, enabled)


def _job_role(context: ScenarioContext, user: str) -> None:
    node = context.compute[-1]
    if not node.run("test -e /etc/profile.d/clusterwright-credentials.sh").ok:
        context.note("the spec gives jobs no buckets and no images, so there is no such role")
        return
    arn = node.must(
        f"aws sts get-caller-identity --region {context.cluster.region} --query Arn --output text",
        user=user,
        environment={
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:579/job-role",
        },
    ).strip()
    wanted = f"/{context.cluster.environment}-{context.cluster.region}-jobs/"
    context.expect(wanted in arn, f"a job acts as {arn}")
    # A user cannot take the port while the service restarts.
    bind = "python3 -c 'import socket; socket.socket().bind((\"127.0.0.1\", 578))'"
    _refused(user, [Attempt(bind, control=True)], [node])


# --- secrets and Slurm


def _munge_key(context: ScenarioContext, user: str) -> None:
    # PCS authenticates with Slurm's own key, which slurmd reads.
    on_pcs = isinstance(context, PcsContext)
    key = "/etc/slurm/slurm.key" if on_pcs else "/etc/munge/munge.key"
    attempts = [
        Attempt(f"cat {key}", control=True),
        Attempt(f"cp {key} /tmp/stolen"),
        Attempt("ls /var/lib/clusterwright/secrets", control=_is_scripted(context)),
        Attempt(
            f"cat /proc/$(pgrep --oldest {'slurmd' if on_pcs else 'munged'})/environ",
            control=True,
        ),
    ]
    _refused(user, attempts, _everywhere(context))


def _database(context: ScenarioContext, user: str) -> None:
    kind = context.cluster.slurm.accounting.kind
    if kind == "none":
        context.note("the spec has no accounting")
        return
    if kind == "managed":
        context.note("PCS keeps the database, and no node has its password")
        return
    attempts = [Attempt("cat /opt/slurm/etc/slurmdbd.conf", control=True)]
    if kind == "local":
        attempts.append(Attempt("mariadb --execute 'SELECT 1'", control=True))
    else:
        endpoint = _endpoint(context)
        for name in ("slurm", "slurmdbd", "root"):
            sign_in = f"mariadb --host {endpoint} --user {name} --skip-password"
            attempts.append(Attempt(f"{sign_in} --execute 'SELECT 1'"))
        context.note(
            "the emulated network has no security groups: tests of the template have them"
        )
    _refused(user, attempts, [context.controller])


def _accounting(context: ScenarioContext, user: str) -> None:
    if context.cluster.slurm.accounting.kind == "none":
        context.note("the spec has no accounting")
        return
    attempts = [
        Attempt(f"sacctmgr --immediate modify user {user} set AdminLevel=Administrator"),
        Attempt(
            f"sacctmgr --immediate add account stolen && sacctmgr --immediate add user {user}"
        ),
    ]
    _refused(user, attempts, _shells(context))
    level = context.slurm(f"sacctmgr --noheader --parsable2 show user {user} format=AdminLevel")
    context.expect("Administrator" not in level, f"{user} is {level.strip()}")


def _files(context: ScenarioContext, user: str) -> None:
    folder = context.shared_folder
    attempts = [
        Attempt("cat /tmp/of-another-user", control=True),
        Attempt("rm --force /tmp/of-another-user; test ! -e /tmp/of-another-user"),
        Attempt(f"cat {folder}/of-another-user", control=True),
        Attempt(f"rm --force {folder}/of-another-user; test ! -e {folder}/of-another-user"),
        Attempt("cat /etc/shadow", control=True),
        Attempt("ls /root", control=True),
    ]
    _refused(user, attempts, _shells(context))


def _jobs(context: ScenarioContext, user: str) -> None:
    node = context.compute[-1]
    held = context.submit("srun --overlap sleep 300", options=_options(context, node))
    held.wait("RUNNING", within_s=60)
    try:
        attempts = [
            Attempt(f"scancel {held.id}; squeue --noheader --jobs={held.id} | grep CG"),
            Attempt(f"scancel --signal=KILL --full {held.id}"),
            Attempt(f"scontrol update JobId={held.id} TimeLimit=1"),
            Attempt(f"scontrol hold {held.id}"),
            Attempt(f"srun --jobid={held.id} --overlap --immediate=5 id"),
            # It exits with 0 also where it is refused.
            Attempt(f"timeout 5 sattach {held.id}.0 2>/dev/null | grep ."),
            Attempt("pkill --signal KILL --uid ubuntu sleep"),
        ]
        _refused(user, attempts, _shells(context))
        state = held.fields().get("JobState")
        context.expect(state == "RUNNING", f"the job of another user is {state}")
    finally:
        held.cancel()


def _scheduler(context: ScenarioContext, user: str) -> None:
    node = context.compute[-1]
    attempts = [
        Attempt(f"scontrol update NodeName={node.host} State=DRAIN Reason=mine"),
        Attempt("scontrol reconfigure"),
        Attempt("scontrol shutdown"),
        Attempt("scontrol setdebug debug5"),
        Attempt("srun --uid=0 --immediate=5 id"),
        Attempt("test -w /opt/slurm/etc/slurm.conf"),
        Attempt("ls /var/spool/slurmctld/*", control=False),
    ]
    _refused(user, attempts, _shells(context))
    context.expect("drain" not in node.slurm_state(), f"{node} is {node.slurm_state()}")


# --- the node


def _sockets(context: ScenarioContext, user: str) -> None:
    attempts = [
        Attempt("curl --fail --unix-socket /run/docker.sock http://localhost/info"),
        Attempt("curl --fail --unix-socket /run/containerd/containerd.sock http://localhost/"),
        Attempt("id --groups --name | grep --word-regexp 'docker\\|sudo\\|adm\\|systemd-journal'"),
        Attempt("systemctl --no-ask-password start cron.service"),
        Attempt("systemctl --no-ask-password daemon-reload"),
        Attempt("busctl --timeout=3 call org.freedesktop.systemd1 /org/freedesktop/systemd1"
                " org.freedesktop.systemd1.Manager Reload"),
        Attempt("cat /proc/1/environ", control=True),
        Attempt("find /run /var/lib -xdev -type s -user root -perm -o+w"
                " | grep clusterwright"),
    ]  # fmt: skip
    _refused(user, attempts, _shells(context))


def _journal(context: ScenarioContext, user: str) -> None:
    attempts = [
        Attempt("test -n \"$(journalctl --quiet --no-pager --lines=1 --unit=slurmd 2>&1"
                " | grep --invert-match 'not seeing\\|Hint\\|No journal')\""),
        Attempt("echo x >>/var/log/clusterwright/node.jsonl"),
        Attempt("find /var/log -xdev -type f -writable | grep ."),
    ]  # fmt: skip
    _refused(user, attempts, _shells(context))


def _sudo(context: ScenarioContext, user: str) -> None:
    attempts = [
        Attempt("sudo --non-interactive true", control=True),
        Attempt("echo | su --command true root", control=True),
        Attempt("cat /etc/sudoers", control=True),
        Attempt("echo 'mallory ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/mine"),
    ]
    _refused(user, attempts, _everywhere(context))


def _containers(context: ScenarioContext, user: str) -> None:
    inside = "unshare --user --map-root-user --mount bash -c {}"
    attempts = [
        Attempt(inside.format(shlex.quote("mount --bind / /mnt && cat /mnt/etc/shadow"))),
        Attempt(inside.format(shlex.quote("mount --bind / /mnt && echo x >>/mnt/etc/passwd"))),
        Attempt(inside.format(shlex.quote("mount -t ext4 /dev/vda /mnt"))),
        Attempt("docker run --volume /:/host --rm busybox cat /host/etc/shadow"),
    ]
    _refused(user, attempts, _shells(context))


def _cron(context: ScenarioContext, user: str) -> None:
    folders = "/etc/cron.d /etc/cron.daily /etc/cron.hourly /var/spool/cron /etc/systemd/system"
    attempts = [
        Attempt("echo '* * * * * root id' >/etc/cron.d/mine"),
        Attempt("crontab -u root -l", control=False),
        Attempt("crontab -u root /dev/null"),
        Attempt(f"find {folders} ! -type l -writable 2>/dev/null | grep ."),
    ]
    _refused(user, attempts, _shells(context))


def _services(context: ScenarioContext, user: str) -> None:
    units = "clusterwright-metadata clusterwright-health.timer clusterwright-checkpoints"
    attempts = [
        *(Attempt(f"systemctl --no-ask-password stop {unit}") for unit in units.split()),
        Attempt("pkill --signal KILL --full '[c]lusterwright_'"),
        Attempt("nft flush ruleset"),
        Attempt("touch /run/clusterwright/mine"),
        Attempt("test -w /opt/clusterwright -o -w /opt/clusterwright/lib"),
        Attempt("renice -n -20 --pid $$"),
    ]
    _refused(user, attempts, context.compute[-1:])
    _links_of_checkpoints(context, user)


def _links_of_checkpoints(context: ScenarioContext, user: str) -> None:
    """A run that is a link to root's files is not copied to shared storage."""
    node = context.compute[-1]
    folder = next(
        iter(node.run("ls --directory /*/*/checkpoints /*/checkpoints").stdout.split()), ""
    )
    if not folder:
        context.note("the nodes have no service that copies checkpoints")
        return
    node.must(
        f"cd {folder} && mkdir --parents theft/step-1 && ln --symbolic /etc/shadow theft/step-1/a"
        " && echo 1 >theft/step-1/COMPLETE && ln --symbolic /root others",
        user=user,
    )
    copied = node.run(f"sleep 8; find {context.shared_folder}/.. -name shadow -o -path '*theft*a'")
    node.must(f"rm --recursive --force {folder}/theft {folder}/others")
    context.expect(not copied.stdout.strip(), f"copied: {copied.stdout}")


def _scripts(context: ScenarioContext, user: str) -> None:
    folders = "/etc /opt /usr /var/lib/clusterwright /root"
    attempts = [
        Attempt(f"find {folders} -xdev \\( -type f -o -type d \\) -writable 2>/dev/null"
                " | grep --invert-match '^/opt/dlami\\|^/opt/sagemaker' | grep ."),
        Attempt("env --unset=AWS_CONTAINER_CREDENTIALS_FULL_URI"
                f" aws s3 ls --region {context.cluster.region}"),
    ]  # fmt: skip
    nodes = _shells(context)
    if _is_parallelcluster(context):
        attempts = attempts[:1]  # the queue's role may read them: they contain no secrets
    _refused(user, attempts, nodes)


_CHECKS = {
    "metadata": _metadata,
    "metadata-of-containers": _metadata_of_containers,
    "metadata-of-services": _metadata_of_services,
    "metadata-at-boot": _metadata_at_boot,
    "job-role": _job_role,
    "munge-key": _munge_key,
    "database": _database,
    "accounting": _accounting,
    "files": _files,
    "jobs": _jobs,
    "scheduler": _scheduler,
    "sockets": _sockets,
    "journal": _journal,
    "sudo": _sudo,
    "containers": _containers,
    "cron": _cron,
    "services": _services,
    "scripts": _scripts,
}


# --- making attempts


def _refused(user: str, attempts: Sequence[Attempt], nodes: Sequence[Node]) -> None:
    """Expect each command to fail as the user, and the controls to succeed as root."""
    for node in nodes:
        results = _tried(node, user, attempts)
        for attempt, (code, output) in zip(attempts, results, strict=True):
            if code == 0:
                raise Broken(f"{user} succeeded on {node} with `{attempt.command}`: {output}")
        controls = [attempt for attempt in attempts if attempt.control]
        for attempt, (code, output) in zip(controls, _tried(node, "root", controls), strict=True):
            if code != 0:
                raise Broken(
                    f"the attempt shows nothing: root on {node}, `{attempt.command}`: {output}"
                )


_TRY = r"""
try() {
  output=$(timeout 20 bash -c "$2" 2>&1 </dev/null)
  printf '\n@@ %s %s %s\n' "$1" "$?" "$(printf %s "$output" | tail -c 200 | tr '\n' ' ')"
}
"""


def _tried(node: Node, user: str, attempts: Sequence[Attempt]) -> list[tuple[int, str]]:
    """Exit code and last output of each command; one shell runs all of them."""
    lines = ["cd /tmp", _TRY]
    lines += [
        f"try {number} {shlex.quote(attempt.command)}" for number, attempt in enumerate(attempts)
    ]
    printed = node.must("\n".join(lines), user=user, timeout_s=30.0 * (len(attempts) + 1))
    found: dict[int, tuple[int, str]] = {}
    for line in printed.splitlines():
        if line.startswith("@@ "):
            _, number, code, *rest = line.split(" ", 3)
            found[int(number)] = (int(code), "".join(rest))
    return [found[number] for number in range(len(attempts))]


@contextlib.contextmanager
def _user(context: ScenarioContext) -> Iterator[str]:
    """The first user of the spec without sudo, else one that exists during the scenario."""
    ordinary = [user.name for user in context.cluster.slurm.users if not user.sudo]
    if ordinary:
        yield ordinary[0]
        return
    for node in context.nodes():
        node.must(
            f"id {USER} 2>/dev/null || useradd --uid {UID} --no-create-home --home-dir /tmp"
            f" --shell /bin/bash {USER}"
        )
    accounts = context.cluster.slurm.accounting.kind != "none"
    if accounts:
        # Without an association Slurm refuses the user's jobs.
        known = context.slurm("sacctmgr --noheader --parsable2 show account format=account")
        account = next((name for name in known.split() if name != "root"), "root")
        context.slurm(f"sacctmgr --immediate --quiet add user {USER} account={account}")
    try:
        yield USER
    finally:
        if accounts:
            context.controller.run(f"sacctmgr --immediate --quiet delete user {USER}")
        for node in context.nodes():
            node.run(f"pkill --signal KILL --uid {USER}; userdel {USER}")


def _prepare(context: ScenarioContext) -> None:
    """Files of another user, which that user alone may read."""
    folder = context.shared_folder
    for node in _shells(context):
        node.must(f"mkdir --parents {folder} && chmod 1777 {folder}")
        node.must(
            f"umask 077; echo mine >/tmp/of-another-user; echo mine >{folder}/of-another-user",
            user="ubuntu",
        )


def _shells(context: ScenarioContext) -> list[Node]:
    """Where users have shells and jobs: a login node and a compute node."""
    return [*context.nodes("login")[:1], context.compute[-1]]


def _everywhere(context: ScenarioContext) -> list[Node]:
    return [*_shells(context), context.controller]


def _options(context: ScenarioContext, node: Node) -> list[str]:
    partition = partition_of(context, node.group)
    return [f"--nodelist={node.host}", *([f"--partition={partition}"] if partition else [])]


def _is_parallelcluster(context: ScenarioContext) -> bool:
    return context.cluster.traits.node_setup is not None


def _is_scripted(context: ScenarioContext) -> bool:
    return not _is_parallelcluster(context) and context.cluster.slurm.configuration == "scripted"


def _endpoint(context: ScenarioContext) -> str:
    found = context.aws("rds").describe_db_instances()["DBInstances"]
    if not found:
        context.cannot_determine("the spec's database is not emulated")
    return str(found[0]["Endpoint"]["Address"])


def _router(node: Node) -> str:
    """The router of the VPC, where the local AWS answers on port 80."""
    route = node.must("ip -4 route show default").split()
    return route[route.index("via") + 1]


_BRIDGE = """set -e
ip netns add cwtest
ip link add cwtest0 type veth peer name eth0 netns cwtest
ip address add 10.254.254.1/30 dev cwtest0
ip link set cwtest0 up
ip -n cwtest address add 10.254.254.2/30 dev eth0
ip -n cwtest link set eth0 up
ip -n cwtest route add default via 10.254.254.1
sysctl --quiet --write net.ipv4.ip_forward=1
nft add table ip cwtest
nft 'add chain ip cwtest out { type nat hook postrouting priority srcnat; }'
nft 'add rule ip cwtest out ip saddr 10.254.254.2 masquerade'
"""
_NO_BRIDGE = """nft delete table ip cwtest
ip link delete cwtest0
ip netns delete cwtest
"""

"""File systems and disks: mounts, Lustre and LNet, NFS, full disks, FSx and RDS states.

Lustre's return codes are Linux's error numbers (Lustre manual, "Lustre Error Messages").
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import parts_lustre
from clusterwright.diagnosis.signature import Signature, Values

_CHECK: Final = "clusterwright check {file} --only {rules}"
_FILE_SYSTEM: Final = (
    "aws fsx describe-file-systems --file-system-ids {file_system} --region {region}"
)
_MOUNT: Final = {
    "connection timed out": "the file system does not answer: a security group does not allow "
    "ports 988 and 1018-1023, or it is in another network",
    "input/output error": "the servers cannot be reached or refused the client",
    "no such file or directory": "the mount name is wrong",
    "no such device": "the Lustre client's kernel module is not loaded, or is missing for this "
    "kernel",
    "invalid argument": "a mount option or the name is wrong, or the client is too old",
    "network is unreachable": "no route to the file system",
    "operation not permitted": "the mount needs root",
    "protocol error": "the client's version does not fit the server's",
    "can't parse nid": "the file system's DNS name cannot be resolved",
    "cannot send after transport endpoint shutdown": "the connection was shut down",
}


def _mount(values: Values) -> str:
    reason = values.get("reason", "").lower()
    meaning = next((text for words, text in _MOUNT.items() if words in reason), "")
    text = f"Lustre: mount failed{f' ({reason})' if reason else ''}"
    return f"{text}: {meaning}" if meaning else text


_RETURN_CODES: Final = {
    "1": "the operation is not permitted",
    "2": "a file or the file system's name does not exist",
    "5": "input/output error at a server",
    "11": "the server asks to try again",
    "12": "the client's memory is used up",
    "13": "access is denied",
    "16": "the server is busy",
    "19": "the server does not have the target",
    "22": "an argument or option is not valid",
    "28": "no space is left on a target",
    "30": "the target is read-only",
    "71": "the client's version does not fit the server's",
    "95": "not supported by the server",
    "107": "the client is not connected: it was evicted or the server restarted",
    "108": "the connection was shut down",
    "110": "the server does not answer in time",
    "111": "the connection is refused",
    "113": "there is no route to the server",
    "114": "an operation on the connection is under way",
    "116": "a handle is stale",
    "122": "a quota is exceeded",
}
"""Linux's error numbers, which Lustre returns as `rc = -N`."""


def _lustre(values: Values) -> str:
    return parts_lustre.client(
        values["reason"], values.get("place", ""), _answer(values["reason"])
    )


def _lnet(values: Values) -> str:
    reason = values.get("reason", "")
    return parts_lustre.network(reason, values.get("place", ""), _answer(reason))


def _answer(message: str) -> str:
    """What a return code in a message says."""
    code = re.search(r"\brc[ =:]+-(\d{1,3})\b|returned -(\d{1,3})\b", message)
    return _RETURN_CODES.get((code.group(1) or code.group(2)) if code else "", "")


def _database(values: Values) -> str:
    state = values["state"]
    meaning = {
        "storage-full": "its storage is full",
        "incompatible-network": "its subnets or addresses cannot be used",
        "incompatible-parameters": "its parameter group does not fit",
        "inaccessible-encryption-credentials": "its KMS key cannot be used",
        "inaccessible-encryption-credentials-recoverable": "its KMS key cannot be used",
        "stopped": "it was stopped",
        "insufficient-capacity": "RDS has no capacity for its class in the zone",
    }.get(state, f"its state is {state}")
    return f"accounting database (RDS) {values.get('resource', '')}: {meaning}".replace("  ", " ")


SIGNATURES: Final = (
    Signature(
        "lustre-client",
        "Lustre: the client is not installed on the node",
        (r"wrong fs type, bad option, bad superblock on [^\n]*@tcp\d*:/",),
        next=(_CHECK,),
    ),
    Signature(
        "lustre-module",
        "Lustre: the client's kernel module is missing for the running kernel",
        (
            r"Module (?:lustre|lnet|ksocklnd|kefalnd)\S* not found",
            r"(?:modprobe|insmod).{0,60}(?:lustre|lnet)|lustre.{0,60}(?:Unknown symbol|"
            r"disagrees about version|not (?:loaded|installed))",
            r"unknown filesystem type '?lustre",
            r"mounting [^\n]{1,160}@tcp\S* [^\n]{1,200}failed: No such device",
        ),
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "lustre-mount",
        _mount,
        (
            r"mount\.lustre: mount \S+ at \S+ failed: (?P<reason>[^\n\"\\]+)",
            r"mount\.lustre: (?P<reason>Can't parse NID|[^\n:]*(?:error|fail|refus|invalid)[^\n]*)",
            r"mount\.lustre.{0,200}(?P<reason>timed out|Connection timed out|Input/output error|"
            r"No such (?:file or directory|device)|Invalid argument|not permitted|unreachable)",
        ),
        confidence="likely",
        next=(_FILE_SYSTEM, _CHECK, "clusterwright drift {file}"),
        rules=("CW-N008", "CW-N025"),
    ),
    Signature(
        "lustre-not-mounted",
        "Lustre: mount failed",
        (
            r"(?:lustre|/fsx)\b.{0,80}(?:not mounted|did not mount|mount failed|failed to mount|"
            r"could not (?:be )?mount|cannot (?:be )?mount)",
            r"(?:not mounted|failed to mount|could not mount|cannot mount|unable to mount).{0,80}"
            r"(?:lustre|fsx)",
        ),
        confidence="likely",
        rank=1,
        next=(_FILE_SYSTEM, _CHECK, "clusterwright drift {file}"),
        rules=("CW-N008", "CW-N025"),
    ),
    Signature(
        "lustre-full",
        "Lustre: a storage target (OST) is full: no space left",
        (r"LustreError.{0,300}rc[ =:]*-28\b",),
        next=(_FILE_SYSTEM,),
        kinds=("log",),
    ),
    Signature(
        "lustre-quota",
        "Lustre: a quota is exceeded",
        (r"LustreError.{0,300}rc[ =:]*-122\b",),
        kinds=("log",),
        next=("lfs quota -h -u USER MOUNT_PATH",),
    ),
    Signature(
        "lustre-evicted",
        "Lustre: the server evicted this client, or the connection to it was lost",
        (
            r"This client was evicted by|evicting client|was evicted",
            r"LustreError.{0,300}(?:rc[ =:]*-(?:110|107|108)\b|timed out|ptlrpc_(?:expire|check_status))",
            r"Lustre:.{0,120}Connection to \S+ \(at \S+\) was lost",
            r"Lustre:.{0,120}Request sent has (?:failed|timed out)",
            r"Cannot send after transport endpoint shutdown|ESHUTDOWN",
            # Of a path: a socket of a program has the same text.
            r"(?:/[^\n]{0,200}|Errno 107\][^\n]{0,10})Transport endpoint is not connected|"
            r"Transport endpoint is not connected[^\n]{0,40}/|ENOTCONN",
        ),
        confidence="likely",
        next=(_FILE_SYSTEM, "clusterwright drift {file}"),
        rules=("CW-N008",),
        kinds=("log", "scheduler-node", "node-status"),
    ),
    Signature(
        "lustre-assertion",
        "Lustre: the client stopped at an assertion of its own (LBUG), a defect of the client: "
        "what uses the file system on the node hangs until the node is rebooted; update the client",
        (r"LustreError: [^\n]{1,200}(?:\bLBUG\b|ASSERTION\()",),
        per_node=True,
        next=("clusterwright drift {file}",),
        kinds=("log",),
    ),
    Signature(
        "lustre-error",
        _lustre,
        (
            r"LustreError: (?:\d+:\d+:\((?P<place>[\w.-]{1,60}):\d+:\w+\(\)\)|[0-9a-f]{1,4}-[0-9a-f]{1,2}:|\d+:\d+:\S+)? ?"
            r"(?P<reason>[^\n]{1,200})",
        ),
        one_per_log=True,
        parts=parts_lustre.CLIENT,
        confidence="likely",
        rank=1,
        next=(_FILE_SYSTEM, "clusterwright drift {file}"),
        rules=("CW-N008",),
        kinds=("log",),
    ),
    Signature(
        "lnet",
        _lnet,
        (
            r"LNetError: (?:\d+:\d+:\((?P<place>[\w.-]{1,60}):\d+:\w+\(\)\)|[0-9a-f]{1,4}-[0-9a-f]{1,2}:)? ?"
            r"(?P<reason>[^\n]{1,200})",
            r"LNetError|lnetctl.{0,60}(?:error|errno|fail)|failed to ping [\d.]+@\w+|"
            # Not what it says of its settings when it is loaded.
            r"\bLNet: (?![^\n]{0,60}\b(?:Added|Removed|HW|Accept|Using|lowered|set to|default)\b)[^\n]{0,120}"
            r"(?:\bfail(?:s|ed|ure)?\b|\bdown\b|\btimed? ?out\b|no route)",
        ),
        confidence="likely",
        one_per_log=True,
        parts=parts_lustre.LNET,
        next=("clusterwright drift {file}",),
        rules=("CW-N008", "CW-S004"),
        kinds=("log",),
    ),
    Signature(
        "fuse",
        "storage: a file system of FUSE (such as one over S3) cannot be mounted: the kernel module or the "
        "tools (fusermount) are missing, or the container was not given /dev/fuse: {reason}",
        (
            r"\b(?P<reason>(?:fuse|fusermount3?): (?:failed|device not found|mount failed|fuse device|"
            r"unknown|cannot|bad|no)[^\n]{0,120})",
            r"(?P<reason>fuse device not found[^\n]{0,60}|/dev/fuse[^\n]{0,40}(?:No such|not permitted|denied)|"
            r"failed to (?:open|exec) [^\n]{0,20}fuse[^\n]{0,60})",
        ),
        kinds=("log", "job"),
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "file-system-name",
        "storage: the name of the file system {name} cannot be resolved: it does not exist in this "
        "region, has no mount target in the node's zone, or the VPC's DNS is disabled or replaced",
        (
            r"(?:resolve|resolution|lookup)[^\n]{0,60}?(?P<name>(?:[a-z0-9-]+\.)?fs-[0-9a-fA-F]{4,20}\.(?:efs|fsx)\.)",
            r"mount[^\n]{0,40}bad address '?(?P<name>fs-[0-9a-fA-F]{4,20}\.(?:efs|fsx)\.)",
            r"(?P<name>(?:[a-z0-9-]+\.)?fs-[0-9a-fA-F]{4,20}\.(?:efs|fsx)\.)[\w.-]*[^\n]{0,60}(?:not known|no such host|"
            r"NXDOMAIN|resolv)",
        ),
        next=(_FILE_SYSTEM, _CHECK),
        rules=("CW-N011", "CW-N026"),
    ),
    Signature(
        "nfs-time",
        "storage: an NFS or EFS file system does not answer a mount: the security group of its mount "
        "target does not allow port 2049 from the node, or it has no mount target in the node's zone "
        "or network",
        (r"mount\.(?:nfs4?|efs): (?:Connection timed out|[^\n]{0,60}timed out)",),
        confidence="likely",
        next=(_CHECK,),
        rules=("CW-N008",),
    ),
    Signature(
        # amazon-efs-utils mounts a port of the node itself, where a tunnel listens.
        "efs-tunnel",
        "EFS: the TLS tunnel of a mount on the node (efs-proxy, stunnel) ended or does not answer, so that "
        "what reads or writes there hangs: its watchdog (amazon-efs-mount-watchdog) does not run, or not "
        "alone: {reason}",
        (r"(?P<reason>nfs: server (?:127\.0\.0\.\d{1,3}|localhost|::1) not responding[^\n]*)",),
        confidence="likely",
        per_node=True,
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "nfs",
        "home directories (NFS): {reason}",
        (
            r"mount\.nfs4?: (?P<reason>[^\n]+)",
            r"(?P<reason>Stale (?:NFS )?file handle|\bESTALE\b)",
            r"(?P<reason>nfs: server \S+ not responding[^\n]*)",
        ),
        confidence="likely",
        next=(_CHECK,),
        rules=("CW-N008",),
    ),
    Signature(
        "storage-capacity-full",
        "file system {resource} is full",
        (
            r"(?:file ?system|storage|volume).{0,60}(?:is full|used 9[5-9]|used 100|out of "
            r"(?:space|storage|inodes))",
        ),
        kinds=("file-system", "database", "scheduler-node"),
        next=(_FILE_SYSTEM,),
    ),
    Signature(
        "cgroups-full",
        "the node has too many cgroups: those of ended jobs or containers remain, so no new ones "
        "can be made",
        (
            # A cpuset without processors refuses processes with the same error.
            r"^(?![^\n]*cgroup\.procs)[^\n]*(?:/sys/fs/cgroup/[^\n]{0,240}|cgroup[^\n]{0,80}: )No space left",
        ),
        confidence="likely",
        per_node=True,
        kinds=("log", "job", "scheduler-node"),
        next=("clusterwright node reboot {file} {nodes} --because 'too many cgroups'",),
    ),
    Signature(
        "inotify",
        "the limit of the node's watches of files (fs.inotify.max_user_watches or "
        "max_user_instances) is reached; its disk is not full",
        (
            r"inotify[^\n]{0,80}(?:limit reached|no space left|ENOSPC|too many open files)|"
            r"System limit for number of file watchers reached",
        ),
        confidence="likely",
        rank=1,
        kinds=("log", "job", "daemon"),
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "disk-full",
        "disk full: no space left[ on {path}]",
        (
            # A cpuset without processors or memory banks takes no process, with the same errno.
            r"^(?![\s\S]*/sys/fs/cgroup/)[\s\S]*?No space left on device(?:: ?'?(?P<path>/[\w./+@-]+))?",
            r"\bENOSPC\b|\[Errno 28\]",
            r"disk(?: is)? full|out of disk space|not enough (?:free )?(?:disk )?space|"
            r"insufficient disk space|low on disk space|(?<!\")\bDiskPressure\b",
        ),
        next=("clusterwright diagnose {file} node {node}",),
        rules=("CW-L010",),
    ),
    Signature(
        "disk-quota",
        "a disk quota is exceeded[ on {path}]",
        (r"Disk quota exceeded|EDQUOT|\[Errno 122\]",),
        next=("quota --human-readable --user USER", "lfs quota -h -u USER MOUNT_PATH"),
    ),
    Signature(
        "read-only",
        "a file system became read-only after an error: its disk is failing",
        (
            # The kernel's own file systems are read-only in containers.
            r"^(?![^\n]*(?:cgroup|/sys/|/proc/))[^\n]*?(?:Read-only file system|Remounting filesystem "
            r"read-only|EROFS|\[Errno 30\])",
        ),
        confidence="likely",
        per_node=True,
        next=("clusterwright node replace {file} {nodes} --because 'read-only file system'",),
        kinds=("log", "scheduler-node"),
    ),
    Signature(
        "disk-errors",
        "a local disk (NVMe or EBS) reports errors[: {device}]",
        (
            r"(?P<device>nvme\d+(?:n\d+)?): (?:I/O|controller is down|Abort status|Removing|"
            r"Device not ready|Shutdown timeout(?! set))[^\n]*",
            r"(?:blk_update_request|Buffer I/O error|I/O error, dev) ?:?.{0,40}(?P<device>nvme\w+|"
            r"xvd\w+|sd[a-z])",
            r"md/raid\S+: Disk failure on (?P<device>\w+)",
            r"EXT4-fs error \(device (?P<device>[\w-]{2,20})\)",
            r"XFS \((?P<device>[\w-]{2,20})\)[^\n]{0,60}(?:Corruption|metadata I/O error|shut ?down)",
            r"(?:EXT4-fs error|XFS .{0,60}(?:Corruption|metadata I/O error|shut ?down)|Structure needs "
            r"cleaning)",
        ),
        confidence="likely",
        per_node=True,
        next=("clusterwright node replace {file} {nodes} --because 'disk errors'",),
        kinds=("log", "scheduler-node"),
    ),
    Signature(
        "io-error",
        "storage: input/output error[ on {path}]: the file system or the disk behind it does not "
        "answer",
        (
            r"^(?![^\n]*(?:prov_errno|prov/|libfabric|\bNCCL\b|\bUCX\b|ibv_|\bEQ:|\[be\[|\bsdap_|\bsss_))[^\n]*(?:\[Errno (?:5|121)\]|"
            r"Input/output error|Remote I/O error|\bEIO\b)",
        ),
        confidence="likely",
        rank=1,
        kinds=("log", "job"),
        next=("clusterwright diagnose {file} node {node}", "clusterwright status {file}"),
    ),
    Signature(
        "data-repository",
        "FSx: the data repository[ {path}] cannot be used[: {message}]",
        (
            r"(?:data repository|S3 bucket|bucket).{0,120}(?:does not exist|not found|denied|"
            r"permission|misconfigured|cannot be accessed|insufficient|not accessible|same region|"
            r"different region|encryption|overlap)",
            r"^(?:FAILED|MISCONFIGURED) ?:? ?(?P<message>.*)",
        ),
        kinds=("data-repository",),
        next=(
            "aws fsx describe-data-repository-associations --filters "
            "Name=file-system-id,Values={file_system} --region {region}",
            _CHECK,
        ),
        rules=("CW-S010", "CW-S011"),
    ),
    Signature(
        "file-system-state",
        "FSx: file system {resource} is {state}[: {message}]",
        (r"^(?P<state>FAILED|MISCONFIGURED\w*) ?:? ?(?P<message>.*)",),
        kinds=("file-system",),
        next=(_FILE_SYSTEM, _CHECK, "clusterwright drift {file}"),
        rules=("CW-S", "CW-N008"),
    ),
    Signature(
        "database-state",
        _database,
        (r"^state (?P<state>[\w-]+)",),
        kinds=("database",),
        failed_only=True,
        next=(
            "aws rds describe-db-instances --db-instance-identifier {resource} --region {region}",
        ),
        rules=("CW-N013",),
    ),
)

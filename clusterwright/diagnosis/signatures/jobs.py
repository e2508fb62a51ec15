"""Jobs in Slurm: why they wait, and how they ended.

Reasons: Slurm's `squeue` manual, "JOB REASON CODES"; states: `sacct`, "JOB STATE CODES". The text
of a pending job is `pending: REASON`, that of an ended job
`STATE exit STATUS:SIGNAL reason REASON`.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import mpi_help, signals, slurm_errors
from clusterwright.diagnosis.parts import reason
from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import kind_of

_JOB: Final = ("job",)
_PENDING: Final = ("pending",)
_ACCEPT: Final = "clusterwright accept {file} --nodes {nodes} --level standard"

_EXITS: Final = {
    "1": "a general error of the program",
    "2": "wrong use of a command",
    "13": "permission denied",
    "126": "the command cannot be executed",
    "127": "the command was not found",
    "143": "ended by SIGTERM: cancelled, preempted or at its time limit",
    "255": "the remote shell or launcher failed",
}
_SIGNALS: Final = {
    "15": _EXITS["143"],
    "53": "Slurm could not open the job's output file, or its working directory does not exist",
}
"""What Slurm and SageMaker mean by a signal, beside `signals.of_number`."""


def _code(status: str) -> str | None:
    """What an exit code says."""
    return _EXITS.get(status) or signals.of_exit_code(int(status))


def _signal(number: str) -> str:
    return _SIGNALS.get(number) or signals.of_number(int(number)) or "unknown"


def _exit(values: Values) -> str:
    status, signal = values.get("status", "0"), values.get("signal", "0")
    if signal not in ("", "0"):
        return f"the job's program was ended by signal {signal}: {_signal(signal)}"
    meaning = _code(status)
    return f"the job's program ended with exit code {status}{f': {meaning}' if meaning else ''}"


_EXIT_CODE: Final = re.compile(r"\(exitcode: (-?\d{1,3})\)")


def _task(values: Values) -> str:
    reason = values.get("reason") or ""
    code = _EXIT_CODE.search(reason)
    meaning = signals.of_exit_code(int(code[1])) if code else signals.said_in(reason)
    said = f": {reason}" if reason else ""
    if meaning is not None:
        said += f" ({meaning})"
    return f"a task of the job ended first{said}; the messages before it have the reason"


def _mpi_help(values: Values) -> str | None:
    """What a help text of MPI's launcher says, in its first sentence; None for a warning."""
    text = values["block"]
    if mpi_help.warns(text):
        return None
    wrong = mpi_help.wrong(text)
    kind = None if wrong else kind_of(text)
    said = re.split(r"(?<=[.:!])\s", text, maxsplit=1)[0][:200]
    component = re.search(r"Framework: (\w{2,20}) Component: (\w{2,30})", text)
    named = f" (framework {component[1]}, component {component[2]})" if component else ""
    wrong = wrong or (kind.sentence if kind else "its launcher or a rank failed")
    return f"MPI: {wrong}{named}: {said}"


def _mpi_ofi(values: Values) -> str:
    """What libfabric answered to MPI, by the text of its errno."""
    said = reason(values["reason"])
    what = (
        "MPI finds no provider of libfabric (EFA) that it can use"
        if values["call"] in ("addrinfo", "getinfo", "get info")
        else f"MPI: libfabric (EFA) could not do what MPI asked ({values['call']})"
    )
    return f"network of jobs: {what}: {f'{said}: ' if said else ''}{values['reason']}"


def _mpi_call(values: Values) -> str:
    """A call of MPI that failed, after which MPI ends all processes."""
    call = values["call"]
    if call.lower().removeprefix("mpi_").removeprefix("p").startswith("init"):
        return (
            f"MPI: it cannot be initialised ({call}): the program was not started by a launcher whose "
            "PMI or PMIx fits its MPI, or the network that MPI uses does not work"
        )
    return f"MPI: {call} failed, so all processes were ended; the messages beside it say why"


def _pmix(values: Values) -> str:
    """What Slurm's plug-in for PMIx says, by its words."""
    reason = values["reason"]
    if re.search(r"load PMIx library", reason):
        return (
            "PMIx: Slurm's plug-in cannot load the PMIx library: it is not installed on the node, or "
            "in another version than Slurm was built with"
        )
    if re.search(r"connect|send|retry limit|reach|time(?:d )?-?out", reason, re.IGNORECASE):
        return (
            "PMIx: the daemons of a step cannot reach each other over the network (another node is "
            f"gone, or a security group closes its ports): {reason}"
        )
    return f"PMIx: the processes of a step cannot exchange their addresses: {reason}"


def _pending(words: str) -> str:
    return rf"^pending: \(?(?:{words})"


SIGNATURES: Final = (
    Signature(
        "pending-dependency",
        "the job waits for a dependency that can never be satisfied: the job before it failed or "
        "does not exist",
        (_pending(r"DependencyNeverSatisfied"),),
        kinds=_PENDING,
        next=("scancel {job}", "scontrol update JobId={job} Dependency="),
    ),
    Signature(
        "pending-held",
        "the job is held: {reason}",
        (
            r"^pending: \(?(?P<reason>JobHeld(?:Admin|User)|RESV_DEL_HOLD|"
            r"job requeued in held state[^\n]*)",
        ),
        kinds=_PENDING,
        next=("scontrol release {job}",),
    ),
    Signature(
        "pending-launch-failed",
        "the job is held because it could not be started on its nodes (launch failed): the prolog, "
        "the working directory, or slurmd failed there",
        (
            _pending(r"launch[ _]failed|JobLaunchFailure"),
            # A row of squeue.
            r"\bPD\b[^\n]{0,80}\(launch failed requeued held\)",
        ),
        kinds=("pending", "log"),
        rank=1,
        next=("clusterwright status {file}", "scontrol release {job}"),
    ),
    Signature(
        "pending-down-nodes",
        "the job waits for nodes that are down, drained or in a reservation[: {nodes_named}]",
        (
            r"^pending: \(?(?:ReqNodeNotAvail|Nodes required for job are DOWN|NodeDown)[^:\n]*"
            r"(?:UnavailableNodes: ?(?P<nodes_named>[\w,\[\]-]*))?",
            _pending(r"Reserved for maintenance|PartitionDown|PartitionInactive"),
        ),
        kinds=_PENDING,
        rank=2,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "pending-limit",
        "the job waits because a limit is reached: {reason} (QOS, account or user)",
        (
            r"^pending: \(?(?P<reason>(?:QOS|Assoc|MaxJobs|MaxGRES|MaxCpu|MaxNode|MaxMem|"
            r"AccountingPolicy|JobArrayTaskLimit)\w*)",
        ),
        kinds=_PENDING,
        next=("sacctmgr show qos", "sacctmgr show association user={user}"),
    ),
    Signature(
        "pending-impossible",
        "the job asks for what the cluster or its partition does not have: {reason}",
        (
            r"^pending: \(?(?P<reason>PartitionNodeLimit|PartitionTimeLimit|BadConstraints|"
            r"InvalidAccount|InvalidQOS|NodeNotFound|ReservationDeleted|Reservation deleted|"
            r"PartitionConfig|Licenses)",
        ),
        kinds=_PENDING,
        next=("scontrol show job {job}", "clusterwright check-job {file} JOBFILE"),
    ),
    Signature(
        "pending-begin",
        "the job waits for its begin time (a requeued job waits two minutes)",
        (_pending(r"BeginTime"),),
        kinds=_PENDING,
        confidence="likely",
        next=("scontrol show job {job}",),
    ),
    Signature(
        "pending-reservation",
        "the job waits for its reservation to begin",
        (_pending(r"Reservation"),),
        kinds=_PENDING,
        next=("scontrol show reservation",),
    ),
    Signature(
        "pending-resources",
        "the job waits for nodes: too few are free[ ({down} of the partition's nodes are down or "
        "drained)]",
        (_pending(r"Resources|Priority|Nodes? (?:busy|unavailable)"),),
        kinds=_PENDING,
        confidence="likely",
        next=("clusterwright status {file}",),
    ),
    Signature(
        "pending-burst",
        "the job waits: {reason}",
        (
            r"^pending: \(?(?P<reason>Dependency|Prolog|Cleaning|SystemFailure|FrontEndDown|"
            r"NonZeroExitCode|RaisedSignal|OutOfMemory|TimeLimit|InactiveLimit)",
        ),
        kinds=_PENDING,
        confidence="likely",
        next=("scontrol show job {job}",),
    ),
    Signature(
        "job-lost-node",
        "the job {job} has no process on a node any more, which booted after it began: Slurm shows "
        "the job as RUNNING, because the node registered again before it was down (SlurmdTimeout)",
        (r"^RUNNING since \S+ on \S+, which booted at ",),
        kinds=("running",),
        confidence="likely",
        next=("scontrol show step {job}", "scontrol requeue {job}", "scancel {job}"),
    ),
    Signature(
        "job-memory",
        "out of memory: the job exceeded its memory, and Slurm or the kernel killed it",
        (r"^OUT_OF_MEMORY\b",),
        kinds=_JOB,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "job-time-limit",
        "the job reached its time limit",
        (r"^(?:TIMEOUT|DEADLINE)\b",),
        kinds=_JOB,
        next=("scontrol show job {job}",),
    ),
    Signature(
        "job-preempted",
        "the job was preempted by a job of higher priority",
        (r"^PREEMPTED\b",),
        kinds=_JOB,
        next=("scontrol show job {job}",),
    ),
    Signature(
        "job-boot-fail",
        "the job's nodes did not boot in time (BOOT_FAIL)",
        (r"^BOOT_FAIL\b",),
        kinds=_JOB,
        rank=1,
        next=("clusterwright diagnose {file} deploy",),
    ),
    Signature(
        "job-node-fail",
        "a node of the job failed (NODE_FAIL)",
        (r"^NODE_FAIL\b|reason NodeDown|reason NodeFail",),
        kinds=_JOB,
        rank=2,
        next=("clusterwright status {file}", _ACCEPT),
    ),
    Signature(
        "job-launch-failed",
        "the job could not be started on its nodes (launch failed): the prolog, the working "
        "directory, or slurmd failed there",
        (
            r"launch failed requeued held|reason (?:JobLaunchFailure|launch_failed)|^LAUNCH_FAILED|"
            r"job_launch_failure",
        ),
        kinds=_JOB,
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "job-cancelled",
        "",
        (r"^(?:CANCELLED|COMPLETED|REQUEUED|RESIZING|REVOKED)\b",),
        kinds=_JOB,
        rank=3,
    ),
    Signature(
        "job-exit",
        _exit,
        (r"^(?:FAILED|UNKNOWN|STOPPED)\b.*?\bexit (?P<status>\d+):(?P<signal>\d+)",),
        kinds=_JOB,
        confidence="possible",
        rank=2,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT",),
    ),
    Signature(
        "training-job-exit",
        lambda values: (
            "SageMaker: the program of the training job ended: "
            f"{_code(values['status']) or 'its own messages say why'} (exit code {values['status']})"
        ),
        (r"AlgorithmError: [^\n]{0,400}?\b[Ee]xit [Cc]ode:? (?P<status>\d{1,3})\b",),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT",),
    ),
    Signature(
        "process-killed",
        lambda values: (
            f"a process of the job was ended by signal {values['signal']}: "
            f"{_signal(values['signal'])}"
        ),
        (
            r"failed \(exitcode: -(?P<signal>4|7|8|9|11)\)",
            # DeepSpeed's launcher, subprocess and multiprocessing of Python; torchrun reports what
            # the abort of its workers was for.
            r"return ?code[ :=]{1,4}-(?P<signal>7|9|11)\b",
            r"noticed that process rank \d+ with PID \d+ on node \S+ exited on signal (?P<signal>7|9|11)\b",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT",),
    ),
    Signature(
        "job-request",
        "the job asks for what the cluster or its allocation does not have: {reason}",
        (
            r"Unable to create step for job \S+: (?P<reason>(?:Requested|Memory|More processors|Node count|"
            r"Task count|Job violates|Insufficient|Invalid (?:partition|feature|generic|gres|license|node|"
            r"constraint|Trackable))[^\n]*)",
            r"(?:job submission failed|allocate resources): (?P<reason>(?:Requested|Memory|More "
            r"processors|Node count|Job violates|Invalid (?:partition|feature|generic|gres|license|"
            r"qos|account|node|constraint))[^\n]*)",
        ),
        kinds=("log",),
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "step-credential",
        "Slurm: the clocks of the controller and a node differ, or the node got the job's "
        "credential too late (job credential expired)",
        (r"Job credential expired|credential (?:was )?created in the future",),
        kinds=("log", "daemon"),
        confidence="likely",
        next=("clusterwright status {file}",),
    ),
    Signature(
        "ssh-name",
        "network of jobs: ssh cannot resolve the name {host} (DNS): that node or pod is not "
        "started, or its service, host file or DNS policy is wrong",
        (
            r"ssh: Could not resolve hostname (?P<host>(?!(?:[\w-]{1,40}\.){0,3}(?:github\.com|"
            r"gitlab\.com|bitbucket\.org)\b)[\w.-]{1,120})",
        ),
        kinds=("log",),
        confidence="likely",
        next=("clusterwright status {file}",),
    ),
    Signature(
        "ssh-connection",
        "network of jobs: ssh cannot connect to {host} (port {port}): {reason}: its daemon does not "
        "run yet, the node or pod is gone, or a security group or policy blocks the port",
        (
            r"ssh: connect to host (?P<host>[\w.:-]{1,120}) port (?P<port>\d+): (?P<reason>[^\n]{3,60})",
        ),
        kinds=("log",),
        confidence="likely",
        next=("clusterwright status {file}",),
    ),
    Signature(
        "ssh-login",
        "network of jobs: ssh is refused[ at {host}]: its key is not known there, or the host's key "
        "is not known here",
        (
            r"(?P<host>[\w.@-]{1,120}): Permission denied \((?:publickey|password|gssapi)",
            r"Host key verification failed",
        ),
        kinds=("log",),
        confidence="likely",
        next=("clusterwright status {file}",),
    ),
    Signature(
        "nodes-not-booted",
        "the job's nodes did not boot or register in time, so it could not start[: {names}]",
        (
            r"Nodes (?P<names>[\w.,\[\]-]{1,120}) are still not ready",
            r"Something is wrong with the boot of the nodes",
        ),
        kinds=("log",),
        next=("clusterwright diagnose {file} deploy", "clusterwright status {file}"),
    ),
    Signature(
        "task-launch-unreachable",
        "Slurm could not start the job on {on}: its slurmd does not answer: the node or the "
        "network is down, or a security group does not allow the port",
        (
            r"Task launch for \S+ failed on node (?P<on>[\w.-]+): (?:Socket timed out|Connection "
            r"(?:refused|timed out)|No route to host|Unable to contact)",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright diagnose {file} node {on}",),
    ),
    Signature(
        # The step was ended because of another node.
        "task-launch-ended",
        "Slurm could not start the job on {on}: No such process",
        (r"Task launch for \S+ failed on node (?P<on>[\w.-]+): No such process",),
        kinds=("log",),
        confidence="possible",
        rank=2,
        next=("clusterwright diagnose {file} node {on}",),
    ),
    Signature(
        "task-launch",
        slurm_errors.launch,
        (
            r"Task launch for \S+ failed on node (?P<on>[\w.-]+): (?P<reason>[^\n]+)",
            r"srun: error: task (?P<task>[\d,-]{1,60}) launch failed: (?P<reason>[^\n]+)",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright diagnose {file} node {on}",),
    ),
    Signature(
        "mpi",
        "MPI: a rank or daemon on another node ended or cannot be reached: {reason}",
        (
            r"(?P<reason>ORTE (?:has lost|was unable)[^\n]*|PRTE has lost[^\n]*|"
            r"At least one pair of MPI processes are unable to reach each other[^\n]{0,60}|"
            r"MPI_ABORT was invoked[^\n]*|PMIx server[^\n]*unreachable[^\n]*)",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "mpi-program",
        "MPI: the program to start does not exist or is not executable on a node[: {program}]",
        (
            r"mpirun (?:was unable to (?:launch|start)|could not find)[^\n]{0,60}(?:application|executable|"
            r"process)[\s\S]{0,300}?Executable: (?P<program>[^\s:]{1,200})(?=\s|$)",
            r"execvp error on file (?P<program>\S{1,200})",
        ),
        kinds=("log",),
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "mpi-slots",
        "MPI: mpirun is asked for more ranks than its allocation or host file has slots"
        "[: {slots} slots are requested]",
        (
            r"There are not enough slots available in the system to satisfy the (?P<slots>\d{1,6})\s+"
            r"slots",
            r"not enough slots available in the system",
        ),
        kinds=("log",),
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "mpi-ofi",
        _mpi_ofi,
        (
            # MPICH and Intel MPI (src/mpid/ch4/netmod/ofi): call, place in the source, text.
            r"\bOFI (?P<call>[a-z][\w ]{2,40}?)(?:\(\))? failed \((?:[^()\n]{0,160}:)?\s*"
            r"(?P<reason>[A-Z][^:()\n]{3,80})\)",
        ),
        kinds=("log",),
        confidence="likely",
        one_per_log=True,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "mpi-call",
        _mpi_call,
        (
            r"\*{3} An error occurred in (?P<call>MPI_\w{2,40})",
            # MPICH and Intel MPI.
            r"Fatal error in (?:internal_)?(?P<call>\w{3,40}): (?:Other MPI|Unknown|Internal MPI) error",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "mpi-start-race",
        "Open MPI crashed on a message that arrived while the rank was still in MPI_Init: Slurm's "
        "fence let other ranks leave it first (open-mpi/ompi#12495). Set SLURM_PMIX_FENCE=ring "
        "before srun, or PMIxCollFence=ring in mpi.conf",
        # Of a backtrace on one line (backtraces.py).
        (r"mca_pml_ob1_recv_frag_callback_match < .{0,2000}?\b(?:ompi_mpi_init|MPI_Init)\b",),
        kinds=("log",),
        confidence="likely",
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "pmix-library",
        "PMIx: an error of its library ({reason}): its versions in Slurm and in the program's "
        "image differ, or its shared memory or folder cannot be used",
        (r"PMIX ERROR: (?P<reason>[^\n]{1,120})",),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "pmix-peer",
        "PMIx: a rank ended or its connection was lost first; the messages before it have the "
        "reason",
        (r"mpi/pmix\w*: _errhandler: |pmixp_\w+\.c:\d+: Error handler invoked",),
        kinds=("log",),
        confidence="possible",
        rank=2,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT",),
    ),
    Signature(
        "pmix-error",
        _pmix,
        (
            r"mpi/pmix\w{0,8}: [^\n]{0,120}?\bp?mi\w{1,30}\.[ch]:\d+: (?P<reason>[^\n]{3,200})",
            r"(?P<reason>can ?not load PMIx library)",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright check-job {file} JOBFILE", "clusterwright status {file}"),
    ),
    Signature(
        "ray-worker",
        "Ray: a worker process died: it was killed, in most cases for its memory, or it crashed; its "
        "own log says which[ (node {address})]",
        (
            r"A worker died or was killed while executing a task(?:[^\n]*?Worker IP address: "
            r"(?P<address>[\d.]+))?",
            r"Worker exit type: (?:SYSTEM_ERROR|NODE_DIED)",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "verbs-call",
        "NCCL: RDMA: a queue pair to another node cannot be made or used ({reason}): the link or network "
        "between the two interfaces, their GIDs (NCCL_IB_GID_INDEX), or the other node",
        (
            r"Call to ibv_(?:modify_qp|create_\w+|open_\w+|query_\w+|poll_cq|post_\w+)\w* failed(?: with)?"
            r"(?: error)?(?: (?P<number>\d{1,3}))?,? ?(?P<reason>[^\n,]{3,80})",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "ucx-no-transport",
        "network of jobs: UCX has no transport between these processes ({reason}): UCX_TLS or "
        "UCX_NET_DEVICES excludes it, or it was built without it; EFA is used through libfabric",
        (
            r"UCX\s+ERROR[^\n]{0,60}?(?P<reason>no (?:active messages|remote|usable|tag|atomic|auxiliary|"
            r"\w{2,20})[\w ]{0,30}transports?[^\n]{0,60})",
        ),
        kinds=("log",),
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "ucx-transport",
        "network of jobs: UCX's transfer on {device} failed ({reason}): the other side ended, or "
        "the link or the fabric is at fault (RDMA)",
        (
            r"ib_mlx5_log\.c:\d+\s+(?P<reason>[^\n]{3,60}?) on (?P<device>[\w:./-]{1,40})",
            r"UCX\s+ERROR[^\n]{0,80}?(?P<reason>ib(?:v_\w+|_\w+)?[^\n]{0,40} failed)[^\n]{0,40}?"
            r"(?P<device>mlx5_\w+)",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "shell-program",
        "the program {program} is not installed where the job or script calls it, or not in its "
        "PATH",
        (
            r"(?:^|\s)(?:/\S{1,60}/)?(?:ba|da|z|k)?sh: (?:line )?(?:\d+: )?(?:exec: )?"
            r"(?P<program>[\w./+-]{1,80}): (?:command )?not found",
            r"^/\S{1,120}: \d+: exec: (?P<program>[\w./+-]{1,80}): not found",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "ray-control",
        "Ray: a process does not reach the control service of the cluster (GCS) on its head[ ({address})]: "
        "the head has ended (in most cases its memory was used up), does not run yet, or has another address "
        "or version",
        (
            r"Unable to connect to GCS at (?P<address>[\w.:-]+)",
            r"Failed to connect to GCS|waiting for GCS to become available|GCS may have been killed|"
            r"has not registered with GCS|have not registered with GCS",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        one_per_log=True,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "ray-node",
        "Ray: a node's daemon (raylet) ended or was declared dead: its memory or processors were "
        "overloaded, or its node was lost[ (node {address})]",
        (
            r"Raylet is terminated(?:: ip=(?P<address>[\d.]+))?",
            r"marked as dead by the GCS|marked dead because the detector has missed too many "
            r"heartbeats",
        ),
        kinds=("log",),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        # It only reports that a process ended, for which others have the reason.
        "mpi-ended",
        "MPI: a process of the job ended with an error; the messages before this one say why: {said}",
        (
            # With a signal it is a reason.
            r"^(?![^\n]*exited on signal)[^\n]*?"
            r"(?P<said>Primary job\s+terminated normally, but \d+ process returned|(?:mpirun|mpiexec|prterun|"
            r"orterun)(?:\.real)? (?:has )?(?:detected|noticed) that[^\n]{0,60})",
        ),
        kinds=("log",),
        needs="block",
        confidence="likely",
        rank=2,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "mpi-help",
        _mpi_help,
        (r"\S",),
        kinds=("log",),
        needs="block",
        confidence="likely",
        rank=1,
        one_per_log=True,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "cancelled-memory",
        "the job was ended at an uncorrectable error of its node's memory",
        (r"\*\*\* (?:JOB|STEP) \S+ ON \S+ UNCORRECTABLE MEMORY ERROR",),
        kinds=("log",),
        per_node=True,
        next=("clusterwright status {file}", _ACCEPT),
    ),
    Signature(
        "srun-exit",
        _task,
        (
            r"(?:srun|slurmstepd)\S*: error: (?P<reason>(?![^\n]*(?:oom[-_ ]?kill|Out Of Memory|memory limit|NOT ENDING WITH))[^\n]*(?:Exited with exit code|Killed|"
            r"Terminated|Aborted|Application launch failed|task \d+)[^\n]*)",
            r"(?P<reason>(?:torch\.distributed\.elastic[^\n]*)?ChildFailedError[^\n]{0,100})",
            r"(?P<reason>failed \(exitcode: -?\d+\)[^\n]{0,80})",
        ),
        kinds=("log",),
        confidence="possible",
        rank=2,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT",),
    ),
)

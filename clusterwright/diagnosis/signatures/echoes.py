"""Texts that are never a cause: consequences of another failure, and normal messages."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature

ECHO: Final = 3

SIGNATURES: Final = (
    Signature(
        "cancelled",
        "",
        (
            r"^Resource (?:creation|update|deletion|operation) cancell?ed",
            r"Resource (?:creation|update) Initiated",
            r"^The following resource\(s\) failed to",
            r"^Rollback requested by user|^User Initiated|^Transformation succeeded",
        ),
        kinds=("stack-event",),
        rank=ECHO,
    ),
    Signature(
        "nested-stack",
        "",
        (
            r"^Embedded stack \S+ was not successfully (?:created|updated|deleted)",
            r"^The stack (?:named )?\S+ failed",
        ),
        rank=ECHO,
    ),
    Signature(
        "held-until-accepted",
        "",
        (r"^clusterwright: (?:acceptance|preload)\b(?!.*reject)",),
        kinds=("scheduler-node",),
        rank=ECHO,
    ),
    Signature(
        "start-of-node",
        "",
        (
            # What time services, systemd, udev and the kubelet write at the start of healthy
            # nodes, and what watches of cgroups find of containers that have ended.
            r"kernel reports TIME_ERROR: 0x|System clock wrong by [^\n]{1,40}, adjustment started|"
            r"Failed to open libbpf, cgroup BPF features disabled|"
            r"Unit dbus-org\.freedesktop\.\w+\.service not found|"
            r"kubelet_internal_checkpoint\\?\"[^\n]{0,20}checkpoint is not found|"
            r"pleg has yet to be successful|"
            r"Error while processing event \(\"/sys/fs/cgroup/[^\n]{1,300}inotify_add_watch|"
            r"Failed to open cgroups file: /sys/fs/cgroup/\S+/memory\.events",
        ),
        kinds=("log",),
        rank=ECHO,
    ),
    Signature(
        "retry",
        "",
        (
            r"attempt \d+ of \d+ failed, next in",
            # Attempts to log in, which every host with an open port has.
            r"\b(?:sshd(?:-session)?|klogind|in\.telnetd|login|ftpd|vsftpd|xinetd)(?:\(pam_unix\))?\[\d+\]: |"
            r"\bpam_unix\(\w+:auth\): |\(pam_unix\)\[\d+\]: authentication failure|"
            r"\b(?:errors?|failed|failures?)[=:] ?0\s*(?:$|[,;|)])",
            r"\"event\": \"(?:start|notice)\"",
            r"\b(?:INFO|DEBUG)\b.{0,60}\bretrying\b(?! request \w+/\w+, attempt (?:[3-9]|\d\d))|\bINFO\b.{0,120}\(x0\) \[\]",
            r"Could not open \w+ state file \S+: No such file|Incomplete \w+ data checkpoint|"
            r"NOTE: Trying backup state save file|Configured MailProg is invalid|"
            r"\berror: Database settings not recommended values|"
            r"specified more than once, latest value used|"
            # Telegraf and the CloudWatch agent mark severities by a letter.
            r"^\d{4}[/-]\S+ (?:\S+ )?D! |"
            r"\berror: chdir\(/var/log[^)\n]{0,40}\): Permission denied|Zero Bytes were transmitted or received|"
            r"E: Sub-process \S+ returned an error code|"
            # IPv4 is tried after IPv6; what cancels a task says why, the task does not.
            r"\[c10d\] The IPv6 network addresses? of|asyncio\.exceptions\.CancelledError|"
            # Events of Kubernetes that report no failure.
            r"^\s*Normal\s+(?:Scheduled|NotTriggerScaleUp|TriggeredScaleUp|Nominated|Pulling|Pulled|Created|Started|"
            r"SandboxChanged|BackOff|Killing|SuccessfulCreate|SuccessfulAttachVolume|NodeReady)\s|"
            r"Exceeded instance ENI attachment limit|"
            # Of controller-runtime, at every end of a controller.
            r"error received after stop sequence was engaged|"
            # A controller reads the object again, which another one changed meanwhile.
            r"Operation cannot be fulfilled on [^\n]{3,200}: the object has been modified|"
            # Of containerd's shim, about a container that has ended meanwhile.
            r"\bcgroups: cgroup deleted\b|"
            # Drivers of volumes go on with the Kubernetes API.
            r"retrieving instance data from kubernetes api|Retrieving IMDS metadata failed|"
            r"please ignore (?:the )?error|If using PrologFlags=Contain for pam_slurm_adopt|"
            r"Failed to process command DEREG_MR\b|\befa_\d+: Failed to de-?register mr\b|"
            r"\(waited \d{1,6} sec\) - retrying",
            # Requests about jobs that have ended meanwhile, or that are tried again.
            r"_slurm_rpc_\w+[^\n]{0,80}: [^\n]{0,80}(?:already completing or completed|Requested nodes are busy)|"
            r"_slurm_rpc_\w*(?:complete|kill|signal|cancel)\w*[^\n]{0,80}: [^\n]{0,80}Invalid job id specified|"
            # Slurm goes on without the energy that a job used.
            r"slurm_get_node_energy|_get_joules_task|"
            # In slurmd's log; the job's output says it too.
            r"\] error: \*\*\* (?:JOB|STEP) \S+ ON \S+ CANCELLED AT [\d:T-]+ \*\*\*|"
            r"\] error: [\w ]{0,40}\b(?:recv|send|read|write)\w*(?:\(\))?: Resource temporarily unavailable|"
            r"\bscancel: error: Kill job error[^\n]{0,60}(?:Invalid job id|already completing)|"
            r"\*\*\* REASON: |\b(?:e?poll\w*|select|accept|waitpid)(?:\(\))?: Interrupted system call|"
            # A process was interrupted by a signal (EINTR, ERESTARTSYS) and asks again, or a server
            # asks to try again (EAGAIN), which the client does.
            r"L(?:ustre|Net)Error: [^\n]{0,300}\brc[ =:]*-(?:4|512)\b|"
            r"LustreError: (?![^\n]{0,200}mount: )[^\n]{0,200}(?:operation \S+ to node [^\n]{0,80}failed: rc = -11\b|"
            r"operation failed with -11\b)|"
            # Warnings of Open MPI on nodes with EFA, which it uses through libfabric.
            r"By default, for Open MPI 4\.0 and later, infiniband ports|No OpenFabrics connection schemes "
            r"reported|error initializing an OpenFabrics device|No preset parameters were found for the device|"
            r"executed an operation involving a call to the \W{0,2}fork",
        ),
        kinds=("log",),
        rank=ECHO,
    ),
)

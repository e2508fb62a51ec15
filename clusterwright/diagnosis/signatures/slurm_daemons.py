"""Slurm's daemons and MUNGE: lines of slurmctld, slurmd, slurmdbd, sackd, munged and clients.

The texts are those of Slurm's sources, 22.05 to 26.05.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import slurm_errors, systemd_results, wording
from clusterwright.diagnosis.signature import Signature

_CHECK: Final = "clusterwright check {file} --only {rules}"
_DRIFT: Final = "clusterwright drift {file}"
# Reservations that the controller's service makes (lifecycle_scripts/clusterwright_state).
_DRAINED: Final = "clusterwright_drain_"
_HELD: Final = "clusterwright_acceptance"
_SPARES: Final = "clusterwright_spares_"
_LOGS: Final = ("log", "daemon", "scheduler-node", "node-status", "cluster-event", "job")

_COMMAND: Final = r"(?:^|(?<=\n)|(?<=[\]:\dZ] ))(?:sbatch|srun|salloc): "
"""Where a command's own message begins: at the line's begin, after a time, or quoted after a colon."""


_CLIENT: Final = r"(?:scontrol|sacctmgr|s(?:batch|run|alloc|info|queue|acct|cancel|diag|prio|share|stat|report))"

SIGNATURES: Final = (
    Signature(
        "slurm-reconfigure",
        systemd_results.reconfigure,
        (r"\bslurm_(?P<request>reconfigure|shutdown) error: (?P<reason>[^\n]{3,200})",),
        confidence="likely",
        rank=1,
        next=(_DRIFT,),
    ),
    Signature(
        "clock",
        "the node's clock is not synchronised: chrony has no usable time source, or finds it wrong",
        (r"Can't synchroni[sz]e: no|no selectable sources|System clock wrong by",),
        confidence="likely",
        kinds=("log",),
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "munge-clock",
        "MUNGE: the clocks of two nodes differ (a credential is rewound or expired)",
        (
            r"(?:Rewound|Expired) credential|Munge decode failed: (?:Rewound|Expired)",
            r"(?:clock|time) (?:skew|drift|offset|is off|differ)|clocks? (?:are )?(?:not|un)"
            r"[- ]?sync|Check for out of sync clocks",
        ),
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "munge-key",
        "MUNGE: nodes have different keys (invalid credential)",
        (
            r"Invalid credential|Munge decode failed: Invalid",
            r"munge.{0,60}(?:key).{0,60}(?:differ|mismatch|invalid|insecure|not the same)",
        ),
        confidence="likely",
        next=(_DRIFT,),
    ),
    Signature(
        "munge-user",
        "MUNGE: a credential is for another user or group: a daemon or a client runs as another "
        "user than the credential allows, or users have other numbers on this node",
        (r"Unauthorized credential",),
        next=(_DRIFT,),
    ),
    Signature(
        "munge-key-file",
        "MUNGE: the key file is missing, or its owner or permissions are wrong",
        (
            r"munged?: .{0,60}key ?file|munge\.key\b.{0,60}(?:No such|denied|insecure|invalid|"
            r"not exist)",
        ),
        next=(_DRIFT,),
    ),
    Signature(
        "munge-down",
        "MUNGE: munged is not running or its socket cannot be used",
        (
            r"Failed to access \"?/(?:var/)?run/munge|munge\.socket\.2|munge encode failed",
            r"(?:munged|munge daemon)\b.{0,80}(?:fail|not running|dead|refused|"
            r"inactive|cannot|error)|munged?: Error",
            r"^munge(?: is)? (?:down|failed|inactive|dead|not running)",
        ),
        next=(_DRIFT,),
    ),
    Signature(
        "job-credential",
        "Slurm: a node refuses the controller's job credentials: the daemons have different "
        "versions of Slurm or different keys",
        (
            r"Credential signature check: |Invalid job credential\b|cred_unpack[^\n]{0,60}(?:fail|error)",
        ),
        confidence="likely",
        next=(_DRIFT,),
        kinds=_LOGS,
    ),
    Signature(
        # src/common/sack_api.c.
        "slurm-sack",
        "Slurm: a client is not authenticated (auth/slurm): no daemon that would do it listens on this host "
        "(slurmctld, slurmdbd, slurmd or sackd), or the container does not see its socket (sack.socket)",
        (
            r"\b(?:connect|connection)\b[^\n]{0,40}\bsack(?:d| sockets?|\.socket)\b|\bsack_\w{3,20}: [^\n]{0,60}connect",
        ),
        confidence="likely",
        next=("clusterwright status {file}", _DRIFT),
        kinds=_LOGS,
    ),
    Signature(
        "slurm-authentication",
        "Slurm: authentication between daemons failed (MUNGE or slurm key)",
        (
            r"Protocol authentication error|Authentication (?:failure|credential invalid)"
            r"|auth/\w+: .{0,60}(?:fail|invalid)",
        ),
        confidence="likely",
        rank=1,
        next=(_DRIFT,),
        kinds=_LOGS,
    ),
    Signature(
        "slurm-versions",
        "Slurm: daemons or clients have incompatible versions",
        (
            r"Incompatible versions of client and server|Header lengths are longer than data"
            r"|Invalid (?:message|protocol) version|protocol_version \d+ (?:not supported|is too)"
            r"|Unsupported (?:message|protocol) version|Slurm version.{0,60}incompatible",
        ),
        next=(_DRIFT,),
    ),
    Signature(
        "cluster-id",
        "Slurm: the cluster's id in slurmctld's state differs from that in the accounting database",
        (r"CLUSTER ID MISMATCH",),
        next=(_DRIFT,),
    ),
    Signature(
        "cluster-name",
        "Slurm: the cluster's name in slurm.conf differs from that in slurmctld's saved state",
        (r"CLUSTER NAME MISMATCH",),
        next=(_DRIFT,),
    ),
    Signature(
        "database-login",
        "accounting: the database refuses slurmdbd's user or password",
        (
            r"Access denied for user '?[\w-]+'?@?|ERROR 1045|Authentication plugin .* cannot be loaded",
        ),
        next=(_CHECK,),
        rules=("CW-I005", "CW-I009"),
    ),
    Signature(
        "cluster-not-registered",
        "accounting: the cluster {cluster} is not registered in the database (sacctmgr add cluster), or its "
        "tables were deleted",
        (
            r"Table '[\w-]+\.(?P<cluster>[\w-]+?)_(?:job|step|assoc|event|resv|suspend|usage|last_ran|wckey|"
            r"job_script|job_env)\w*_table' doesn't exist",
        ),
        next=("clusterwright status {file}",),
        kinds=_LOGS,
    ),
    Signature(
        "database-schema",
        "accounting: the database's schema or version does not fit slurmdbd",
        (
            r"Database schema is too (?:old|new)|(?:Unknown (?:column|database)|Table '[\w.]+' "
            r"doesn't exist)|fatal: [^\n]{0,40}Database settings not recommended values",
            r"We are at db version|database version.{0,40}(?:not supported|too old|too new)",
        ),
        next=(_DRIFT,),
        kinds=_LOGS,
    ),
    Signature(
        "database-unreachable",
        "accounting: slurmdbd does not reach its database",
        (
            r"mysql_real_connect failed|Can't connect to (?:MySQL|MariaDB|local MySQL|server)|"
            r"Unknown MySQL server host|Lost connection to (?:MySQL|MariaDB|server)|MySQL server "
            r"has gone away|Too many connections|ERROR 200[2356]",
            r"DbUnreachable|database (?:is )?(?:unreachable|not reachable|connection (?:failed|"
            r"lost|refused))",
            r"mysql.{0,60}(?:refused|timed out|unreachable)",
            r"The database must be up when starting the MYSQL plugin|"
            r"(?:unable|cannot|could not|can't|failed).{0,20} connect.{0,30}database|"
            r"(?:DB|database) connection (?:is )?(?:lost|failed|refused)",
        ),
        next=(
            "aws rds describe-db-instances --region {region}",
            _CHECK,
            _DRIFT,
        ),
        rules=("CW-N029", "CW-I009"),
    ),
    Signature(
        "database-statement",
        "accounting: the database refuses a statement of slurmdbd: {reason}",
        (r"mysql_query failed: (?P<reason>\d+ [^\n]{1,160})",),
        next=("aws rds describe-db-instances --region {region}",),
        kinds=_LOGS,
    ),
    Signature(
        "slurmdbd-down",
        "accounting: slurmdbd is down or disabled, so slurmctld has no accounting",
        (
            r"slurmdbd.{0,60}(?:DaemonDown|DaemonDisabled|is down|not running|failed|inactive|"
            r"dead)",
            r"(?:DaemonDown|DaemonDisabled)",
            r"slurm_persist_conn_open\w*: (?:failed to open persistent connection|Something "
            r"happened)",
            r"(?:Sending|open) message to slurmdbd.{0,60}fail|Unable to contact (?:the )?slurmdbd|"
            r"slurmdbd: Connection refused|agent queue (?:is )?(?:filling|full)|DBD agent queue",
            r"Problem talking to (?:the )?(?:database|slurmdbd)|Unable to get TRES from slurmdbd",
        ),
        confidence="likely",
        next=("clusterwright status {file}", _DRIFT),
        kinds=_LOGS,
    ),
    Signature(
        "cluster-registration",
        "accounting: slurmctld is not registered with slurmdbd: start it after slurmdbd",
        (
            r"register a cluster.{0,60}no remote port|This cluster '?[\w-]+'? doesn't exist|"
            r"cluster.{0,30}(?:is )?not registered|Cluster hasn't registered",
        ),
        confidence="likely",
        kinds=_LOGS,
        next=(_DRIFT,),
    ),
    Signature(
        "slurm-association",
        "accounting: the user, account or partition has no association, so the job is refused",
        (
            r"Invalid account or account/partition combination|"
            r"Invalid user.{0,20}association|User's group not permitted|InvalidAccount|"
            r"no association|InvalidQOS|Invalid qos specification",
        ),
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "client-configless",
        "Slurm: a command finds no configuration on its host: it has no slurm.conf, and neither slurmctld nor "
        "sackd gives it one (configless)",
        (
            rf"^\s*{_CLIENT}: [^\n]*(?:DNS SRV lookup failed|resolve_ctls_from_dns_srv|_establish_config|failed to (?:load|fetch) "
            r"(?:remote )?configs?\b|Could not establish a configuration source)",
        ),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}", _DRIFT),
        kinds=_LOGS,
    ),
    Signature(
        "configless",
        "slurmd: it cannot fetch its configuration from the controller (configless)",
        (
            r"DNS SRV lookup failed|resolve_ctls_from_dns_srv|_establish_configuration: failed|"
            r"failed to (?:load|fetch) (?:remote )?configs?\b|fetch_config: .{0,80}(?:fail|error)|"
            r"Could not establish a configuration source|failed to load configs",
        ),
        confidence="likely",
        next=("clusterwright status {file}", _DRIFT),
        kinds=_LOGS,
    ),
    Signature(
        "slurmd-name",
        "slurmd: the node's name is not in slurm.conf, so it cannot register",
        (
            r"Unable to determine this slurmd's NodeName|Node \S+ not configured in this cluster|"
            r"Invalid node name specified|node name \S+ (?:is )?not (?:found|in)|"
            r"Unknown node ?name|find_node_record.{0,40}lookup failure",
        ),
        next=(_DRIFT,),
        kinds=_LOGS,
    ),
    Signature(
        "gres-count",
        "slurmd: fewer GPUs (gres) than slurm.conf says: a GPU is missing or the driver does not "
        "see it",
        (
            r"gres/\w+:? (?:_\w+: )?count (?:reported lower|too low|changed)[^\n]*",
            r"gres_device_major: stat\([^\n]{3,60}No such file",
            r"gres.{0,40}(?:lower than configured|count mismatch|too low)",
            r"(?:can(?:'t| ?not) stat|Waiting for|missing) (?:gres\.conf )?file /dev/(?:nvidia|neuron)",
            r"(?:GPU|accelerator|device)s? (?:count )?(?:mismatch|missing)|"
            r"(?:only )?\d+ of \d+ (?:GPUs|accelerators|devices)|expected \d+ (?:GPUs?|devices),? "
            r"(?:but )?(?:found|got|sees?) \d+",
        ),
        per_node=True,
        next=(
            "clusterwright diagnose {file} node {node}",
            "clusterwright node reboot {file} {nodes} --because 'a GPU is missing'",
        ),
    ),
    Signature(
        "node-hardware",
        "slurmd: the node has less memory, CPUs or sockets than slurm.conf says",
        (
            r"Low RealMemory|low real_?memory|Low (?:CPUs|socket\*core)",
            r"Node configuration differs from hardware",
        ),
        per_node=True,
        next=(_DRIFT, "clusterwright diagnose {file} node {node}"),
    ),
    Signature(
        # cpuset(7), ENOSPC.
        "cgroup-cpuset",
        "slurmd: cgroups: the cpuset of the job has no processors or no memory banks, so that it takes no "
        "process: those of slurm.conf are not the node's own, or a parent's cpuset does not have them",
        (r"/sys/fs/cgroup/[^\n]{1,300}(?:procs|tasks)\b[^\n]{0,60}No space left on device",),
        confidence="likely",
        next=(_DRIFT,),
        kinds=("log", "daemon", "scheduler-node"),
    ),
    Signature(
        "cgroup",
        "slurmd: cgroups cannot be used (not mounted, wrong version, or no delegation)",
        (
            r"^(?![^\n]*couldn't chdir)[^\n]*?cgroup.{0,100}(?:fail|unable|cannot|not (?:mounted|found|supported|available)|error|"
            r"No such file)|(?:unable|failed|cannot).{0,80}cgroup|plugin name for [\w/]{0,20}cgroup",
        ),
        confidence="likely",
        next=(_DRIFT,),
        kinds=("log", "daemon", "scheduler-node"),
    ),
    Signature(
        "slurm-plugin",
        "Slurm: a plug-in cannot be loaded: {reason}",
        (
            r"(?P<reason>Couldn't (?:find|load) (?:the )?specified plugin name for [^\n]+)",
            r"(?P<reason>(?:plugin_load_from_file|spank[\w/-]*): [^\n]*(?:error|fail|"
            r"not found|undefined symbol|Incompatible)[^\n]*)",
        ),
        confidence="likely",
        next=(_DRIFT,),
        kinds=_LOGS,
    ),
    Signature(
        # What follows a plug-in that cannot be loaded, and is reported only alone.
        "slurm-plugin-context",
        "Slurm: a plug-in cannot be loaded: {reason}",
        (r"(?P<reason>cannot (?:create|open|find) \S* ?(?:plugin|context)[^\n]*)",),
        confidence="likely",
        rank=1,
        next=(_DRIFT,),
        kinds=_LOGS,
    ),
    Signature(
        "slurm-configuration-missing",
        "Slurm: slurm.conf cannot be read here: it is missing, or its folder is not mounted: {path}",
        (r"unable to (?:status|open|read) file:? \"?(?P<path>/[^\"\s]{1,120}\.conf)",),
        next=(_DRIFT,),
        kinds=_LOGS,
    ),
    Signature(
        "slurm-configuration",
        "Slurm: slurm.conf or another configuration file is invalid: {reason}",
        (
            r"(?P<reason>Parsing error at unrecognized key: [^\n]+)",
            r"(?P<reason>Unable to process configuration file[^\n]*|power_save module disabled[^\n]*)",
            r"(?P<reason>Parse error in file [^\n]+|[^\n]{0,40}(?:s_p_parse_file|\"Include\" failed)[^\n]+)",
            r"(?P<reason>(?:Invalid|Duplicated) (?:partition(?![^\n]*JobId=)|NodeName|NodeHostName|configuration)"
            r"[^\n]*)",
            r"(?P<reason>Node \S+ appears to have a different slurm\.conf[^\n.]*|gres/[^\n]*(?:core "
            r"specification|socket boundaries)[^\n]*|[^\n]{0,60}duplicate records for [^\n]+)",
            r"(?P<reason>Switch configuration has [^\n]+|switches lack access to [^\n]+|"
            r"topology\S*: [^\n]*(?:fail|error|invalid)[^\n]*)",
            r"(?P<reason>(?:slurm|gres|cgroup|topology|slurmdbd)\.(?:conf|yaml)\b[^\n]{0,100}"
            r"(?:invalid|error|cannot|missing|not found|Permission denied|different)[^\n]*)",
        ),
        confidence="likely",
        next=(_DRIFT, "clusterwright check {file} --only CW-L"),
        kinds=_LOGS,
    ),
    Signature(
        "slurm-state",
        "slurmctld: its state directory (StateSaveLocation) cannot be read or written",
        (
            r"StateSaveLocation.{0,80}(?:fail|error|cannot|denied|No such|not writable|read-only)|"
            r"Could not open \w+ state file.{0,120}(?:denied|Input/output|Read-only|No space)|"
            r"(?:save|recover)\w* state.{0,60}(?:fail|error|No such file|Permission denied)",
        ),
        confidence="likely",
        kinds=("log", "daemon"),
        next=("scontrol show config",),
    ),
    Signature(
        "lemon",
        "the instance failed repeatedly ({reason}): it needs to be replaced, not rebooted",
        (r"^history advises replace: (?P<reason>[^(\n]+?) \(",),
        kinds=("node-history",),
        per_node=True,
        next=("clusterwright node replace {file} {nodes} --because 'failed repeatedly'",),
    ),
    Signature(
        "health-check",
        "the health check of the node program drained the node: {reason}",
        (r"clusterwright: (?!acceptance|preload|step)(?P<reason>[^\n]+)",),
        kinds=("scheduler-node",),
        per_node=True,
        next=(
            "clusterwright diagnose {file} node {node}",
            "clusterwright node reboot {file} {nodes} --because 'failed health check'",
        ),
    ),
    Signature(
        "task-prolog",
        "the task prolog cannot be executed on the node: {reason}",
        (
            r"(?P<reason>(?:task_prolog can not be executed|Could not run slurm task_prolog)[^\n]{0,160})",
        ),
        next=(_DRIFT,),
        kinds=("log", "job"),
    ),
    Signature(
        "prolog",
        "the prolog failed[ ({reason})]; Slurm drained the node and requeued the job",
        (
            r"Prolog (?:error|fail\w*|hung|exit)|PrologError|"
            r"Prolog.{0,60}(?:status|exit|timed out)[ :=]*(?P<reason>[\d:]+)?",
        ),
        next=("clusterwright diagnose {file} node {node}",),
        kinds=("log", "scheduler-node", "job", "pending"),
    ),
    Signature(
        "epilog",
        "the epilog failed; Slurm drained the node",
        (
            r"Epilog (?:error|failed)|epilog (?:failed|error|exit|hung)|"
            r"Epilog.{0,40}(?:status|exit)",
        ),
        next=("clusterwright diagnose {file} node {node}",),
        kinds=("log", "scheduler-node", "job"),
    ),
    Signature(
        "private-folders",
        "Slurm: the private folders of a job (job_container/tmpfs, namespace/tmpfs) cannot be made or "
        "joined on the node: {reason}",
        (
            r"(?P<reason>(?:container|namespace)_[pg]_\w{2,20}[: ][^\n]{0,40}(?:fail|error|unable|could not|"
            r"cannot)[^\n]{0,120})",
            r"job_container/\w+: (?P<reason>[^\n]{0,60}(?:fail|error|unable|could not|cannot)[^\n]{0,120})",
        ),
        confidence="likely",
        per_node=True,
        kinds=("log", "job", "scheduler-node"),
        next=("clusterwright diagnose {file} node {node}", _DRIFT),
    ),
    Signature(
        "ssh-without-job",
        "Slurm: ssh to a node is refused, as the user has no job there (pam_slurm_adopt)",
        (r"you have no active jobs on this node|pam_slurm\w*[^\n]{0,60}(?:denied|refus)",),
        kinds=_LOGS,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "user-unknown",
        f"{wording.USER}: {{reason}}",
        (
            r"(?P<reason>getpw(?:nam|uid)\w*[^\n]{0,80}(?:fail|no such|not found|error|returned)[^\n]{0,60}|"
            r"cannot find name for (?:user|group) ID \d+|unknown user:? [^\n]{1,60}|"
            r"user '?[\w.-]{1,40}'? does not exist[^\n]{0,40})",
        ),
        confidence="likely",
        kinds=("log", "job", "daemon"),
        next=(_DRIFT,),
    ),
    Signature(
        "hung-task",
        "kernel: a process[ ({task})] has been blocked in the kernel for minutes: its file system, disk, GPU or "
        "network interface does not answer",
        (r"(?:task (?P<task>[^\n:]{1,40}):\d+ )?blocked for more than \d+ seconds",),
        confidence="likely",
        rank=1,
        per_node=True,
        next=(
            "clusterwright diagnose {file} node {node}",
            "clusterwright node reboot {file} {nodes} --because 'a process hangs in the kernel'",
        ),
        kinds=("log", "scheduler-node", "job"),
    ),
    Signature(
        "kill-task",
        "processes of a job could not be killed (usually blocked in the kernel on storage or a GPU); "
        "Slurm drained the node",
        (r"Kill task failed|KillTaskFailed|UnkillableStep|not ending with signals",),
        confidence="likely",
        rank=1,
        per_node=True,
        next=(
            "clusterwright diagnose {file} node {node}",
            "clusterwright node reboot {file} {nodes} --because 'Kill task failed'",
        ),
        kinds=("log", "scheduler-node", "job"),
    ),
    Signature(
        "unexpected-reboot",
        "the node rebooted unexpectedly",
        (r"Node unexpectedly rebooted|unexpected(?:ly)? reboot",),
        rank=1,
        per_node=True,
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "duplicate-job",
        "the node still runs a job that the controller does not know (duplicate job id)",
        (r"Duplicate jobid",),
        per_node=True,
        next=("clusterwright node reboot {file} {nodes} --because 'Duplicate jobid'",),
    ),
    Signature(
        "ignored-action",
        'the reason "{reason}" asks HyperPod for a repair but is not exactly Action:Reboot or '
        "Action:Replace, so HyperPod ignores it",
        (
            r"^(?P<reason>(?!Action:Re(?:boot|place)$)[^\S\n]*action[ :_-]{1,2}re(?:boot|place)"
            r"[^\n]{0,3})$",
        ),
        kinds=("scheduler-node",),
        next=(
            "clusterwright node reboot {file} {nodes} --because 'repair was asked for'",
            "clusterwright node replace {file} {nodes} --because 'repair was asked for'",
        ),
    ),
    Signature(
        "repair-in-progress",
        "HyperPod's health agent found a fault and asked for the repair {reason}",
        (r"^Action:(?P<reason>Reboot|Replace)$",),
        kinds=("scheduler-node",),
        rank=1,
        per_node=True,
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "node-name",
        "Slurm: the name of the node {host} cannot be resolved (DNS)",
        (
            r"Unable to resolve \"(?P<host>[\w.-]+)\"",
            r"can't find address for host (?P<host>[\w.-]+)",
        ),
        next=("clusterwright status {file}", _DRIFT),
        kinds=("log", "daemon"),
    ),
    Signature(
        "controller-unreachable",
        "Slurm: slurmctld does not answer the user's command: it does not run, or its host, port or network is "
        "not reached from here",
        (
            r"\b(?:srun|sbatch|salloc|squeue|sinfo|scontrol|scancel|sacctmgr|sshare|sprio)\b[^\n]{0,60}Unable to contact "
            r"slurm controller",
            r"(?:Unable to allocate resources|Batch job submission failed|slurm_load_\w{3,20}(?: error)?): Unable to "
            r"contact slurm controller",
        ),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}", _DRIFT),
        kinds=("log", "job"),
    ),
    Signature(
        "registration",
        "slurmd: it cannot register with the controller",
        (
            r"Unable to (?:register(?=:| with\b| *$)|contact slurm controller)|slurmd_?register\w*.{0,60}fail"
            r"|Unable to contact slurm controller|slurmctld.{0,40}connection refused"
            r"|(?:connect|connection).{0,40}:68(?:17|18|19).{0,60}(?:refused|timed out)",
        ),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}", _DRIFT),
        kinds=("log", "daemon", "scheduler-node", "job"),
    ),
    Signature(
        # Texts of slurm_opt.c, gres.c and getopt in sbatch, srun and salloc (24.11).
        "slurm-options",
        slurm_errors.options,
        (
            rf"{_COMMAND}(?:error|fatal): (?P<reason>[^\n]{{0,120}}(?:are mutually exclusive|is mutually exclusive "
            r"with|used without |option requires --|is not multiple of|doesn't fall between|"
            r"number of requested tasks differ|did not request any GPU|Failed to ensure --|"
            r"\(with and without type)[^\n]{0,160})",
            rf"{_COMMAND}(?:error|fatal): (?P<reason>(?:Invalid numeric value|unrecognized --\S+ argument|Invalid "
            r"--\S+ (?:specification|argument)|Bad rlimit name)[^\n]{0,160})",
            rf"{_COMMAND}(?P<reason>(?:unrecognized|invalid) option\b[^\n]{{0,120}}|option '[^\n]{{1,80}}' "
            r"(?:requires|doesn't allow|is ambiguous)[^\n]{0,60})",
        ),
        next=("clusterwright check-job {file} JOBFILE",),
        kinds=("log", "job"),
    ),
    Signature(
        "slurm-error",
        slurm_errors.cause,
        (
            r"\b(?:sbatch|srun|salloc|sattach|squeue|sinfo|scontrol|scancel|sacct|sacctmgr|sreport|"
            r"scrontab|slurmstepd)\S{0,40}: (?:error|fatal): (?P<reason>[^\n]{3,200})",
        ),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
        kinds=("log", "job"),
    ),
    Signature(
        "port-in-use",
        "a daemon or program cannot listen: the port is in use",
        (
            r"(?:Unable to bind|bind(?:ing)?\b.{0,40}fail|error binding).{0,60}(?:port|address|listen)"
            r"|fatal: .{0,40}Address already in use",
        ),
        confidence="likely",
        kinds=("log", "daemon"),
        next=("ss --listening --tcp --numeric --processes",),
    ),
    Signature(
        "not-responding",
        "the node does not respond: slurmd, the node or its network is down",
        (
            r"^Not responding|not responding, setting DOWN|NO_RESPOND|NOT_RESPONDING(?!\+POWER)|"
            r"slurmd.{0,40}(?:is down|not running)|node is unreachable|kubelet stopped posting|"
            r"\bdown\*[^\n]{3,160}\bNot responding$|error: Nodes? \S+ not responding",
        ),
        rank=1,
        per_node=True,
        next=(
            "clusterwright diagnose {file} node {node}",
            "clusterwright node reboot {file} {nodes} --because 'not responding'",
        ),
        kinds=("log", "scheduler-node"),
    ),
    Signature(
        "slurmdbd-host",
        "accounting: slurmdbd does not start on this host: DbdHost in slurmdbd.conf names another "
        "({reason})",
        (r"This host not configured to run SlurmDBD \((?P<reason>[\w.-]{1,80} != [\w.-]{1,80})",),
        next=(_DRIFT,),
        kinds=("log", "daemon"),
    ),
    Signature(
        "state-folder",
        "Slurm: the folder of a daemon's state (StateSaveLocation, SlurmdSpoolDir) cannot be made "
        "or used: {reason}",
        (r"fatal: (?P<reason>(?:mkdir|chdir|chown)\([^)\n]{1,200}\): [^\n]{1,80})",),
        next=(_DRIFT,),
        kinds=("log", "daemon"),
    ),
    Signature(
        # A report: the plug-in, or the lines before, said why.
        "slurm-plugin-start",
        "Slurm: a daemon ended, because its plug-in {plugin} could not start",
        (
            r"\bfatal: (?:failed to|can ?not|could not) initiali[sz]e (?:the )?(?P<plugin>\w+) plugin",
        ),
        confidence="likely",
        rank=2,
        next=("clusterwright status {file}", _DRIFT),
        kinds=("log", "daemon"),
    ),
    Signature(
        "slurm-fatal",
        slurm_errors.fatal,
        (
            r"(?P<daemon>slurmctld|slurmd|slurmdbd|slurmrestd|sackd|slurmstepd)\b.{0,50}?fatal: (?P<reason>[^\n]+)",
            r"\] fatal: (?P<reason>[^\n]+)",
        ),
        rank=1,
        next=("clusterwright status {file}", _DRIFT),
        kinds=("log", "daemon"),
    ),
    Signature(
        "resume-timeout",
        "the node did not boot and register before Slurm's ResumeTimeout",
        (r"ResumeTimeout reached|not resumed by ResumeTimeout",),
        rank=1,
        per_node=True,
        next=("clusterwright diagnose {file} deploy", "clusterwright diagnose {file} node {node}"),
    ),
    Signature(
        "batch-failure",
        "slurmd could not complete a batch job on the node (its spool directory, cgroups or prolog)",
        (r"batch job complete failure",),
        confidence="likely",
        rank=1,
        per_node=True,
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "drained-by-person",
        "{by} drained the node: {reason}",
        (r"^(?P<reason>[^\n]+)",),
        kinds=("scheduler-node",),
        failed_only=True,
        rank=1,
        next=("clusterwright node resume {file} {nodes} --because 'the work is done'",),
    ),
    Signature(
        "reserved-by-person",
        "an operator drained the node: a reservation keeps jobs from it",
        (f"^in the reservation {_DRAINED}",),
        kinds=("reservation",),
        rank=1,
        next=("clusterwright node resume {file} {nodes} --because 'the work is done'",),
    ),
    Signature(
        "held-for-acceptance",
        "the node is held until it is accepted: a reservation keeps jobs from it",
        (f"^in the reservation {_HELD}$",),
        kinds=("reservation",),
        rank=1,
        next=("clusterwright accept {file} --nodes {nodes}",),
    ),
    Signature(
        "reserved-as-spare",
        "the node is a spare of the group {group}: it takes jobs when another node is lost",
        (f"^in the reservation {_SPARES}(?P<group>\\S+)$",),
        kinds=("reservation",),
        rank=1,
        severity="info",
        next=("clusterwright capacity {file}",),
    ),
    Signature(
        "in-a-reservation",
        "the node is in the reservation {name}: only jobs of that reservation start on it",
        (r"^in the reservation (?P<name>\S+)$",),
        kinds=("reservation",),
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "partition-down",
        "Slurm: partition {name} is {state}: it starts no jobs",
        (r"^partition (?P<name>\S+) is (?P<state>DOWN|DRAIN|INACTIVE)",),
        kinds=("partition",),
        next=("clusterwright status {file}",),
    ),
    Signature(
        "controller-silent",
        "the controller has not published its state since {since}: the node, its network, its "
        "role or the service is down",
        (r"^the controller's state was written at (?P<since>\S+)",),
        kinds=("controller",),
        confidence="possible",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "daemon-down",
        "{daemon} is {state} on the controller",
        (r"^(?P<daemon>slurmctld|slurmdbd|munge)(?: is)? (?P<state>down|failed|inactive|dead)",),
        kinds=("daemon",),
        rank=1,
        next=("clusterwright status {file}", _DRIFT),
    ),
)

"""Parts of Slurm's daemons, by the functions and words of their messages.

Source: SchedMD/slurm, the texts of error() and fatal() in src/slurmctld, slurmd, slurmdbd, sackd,
common, conmgr, interfaces and plugins (26.05 and earlier, read 2026-11). Slurm's lines name no
file, but most messages begin with the function or the plug-in that wrote them.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from clusterwright.diagnosis import parts, parts_containers, slurm_texts
from clusterwright.diagnosis.parts import Part, part
from clusterwright.diagnosis.wording import PLAIN, kind_of

_REQUESTED: Final = (
    r"\bpartition\w*|het_?job\w*|job_?array|dependenc\w*|(?-i:JobId=|StepId=)|\bjobs?\b|"
    r"\bfeatures?\b|\bstep\b"
)
_ABSENT: Final = (
    r"\binvalid\b|\bnot (?:be )?(?:found|valid|defined|known|exist)|\bunknown\b|\bmissing\b|"
    r"no longer|\bremoved\b|n't exist|\black(?:s|ing)\b|\bwithout\b|\bno (?:such|partition|job)\b|"
    r"(?:cannot|can't|could not|couldn't|unable to) find"
)
PARTS: Final[tuple[Part, ...]] = (
    part(
        "Slurm: its user (SlurmUser) has another UID on this node than on the one that asked: "
        "users must have the same numbers on all nodes",
        # What only daemons ask slurmd for, so that it is not a user who asked.
        r"SlurmUser configured as uid|Security violation[,:] (?:acct_gather\w*|health[ _]check|"
        r"node[ _]registration|ping|reconfig\w*|batch(?:[ _]job)?[ _]launch\w*|launch[ _]prolog|"
        r"(?:terminate|kill|abort|epilog)\w*[ _]job\w*)\b[^\n]{0,20} from uid",
    ),
    part(
        "Slurm: a user who is no administrator of it (SlurmUser, operator) asked for what only "
        "these may do, and was refused",
        r"Security violation|privilege violation|non-?(?:super|privileged)[- ]?user|"
        r"Only (?:admins?|Super|coord|root|operators)|Access denied.{0,40}(?:uid|request)|"
        r"(?:uid|user) \S+ (?:(?:is )?not (?:allowed|authori|permitted|privileg|an? )|trying |"
        r"attempted |tried |lacks )|from uid \S+ for job|"
        r"privilege (?:revoked|required)|request from (?:invalid|unauthorized) (?:user|uid)|"
        r"(?:RPC|REQUEST_\w+|request) from (?:\w+ ){0,3}uid|uid[ =]\d+ (?:attempt|tri|is not)|"
        r"Rejected request|(?:attempt to|rejecting) (?:\w+ ){0,3}token|Attempt to (?:change|set) "
        r"(?:admin_?comment|SiteFactor)|Requested [UG]ID=\S* doesn't match|"
        r"update of expediting job from",
    ),
    part(
        "Slurm: a token of authentication has expired, or the clocks of the hosts differ: renew "
        "it (scontrol token) and check the clocks",
        r"(?:token|credential|jwt|auth)\w*[^\n]{0,40}(?:expired|expir)|expired (?:token|"
        r"credential)|(?:out of sync|unsynchronized) clocks?|clock skew|rewound",
    ),
    part(
        "Slurm: the clock of the controller and that of the file system with its state "
        "(StateSaveLocation) differ",
        r"clock of the file system|modification time of [^\n]{1,200} moved backwards",
    ),
    part(
        "Slurm: a message or a saved state is of another version of Slurm's protocol: daemons and "
        "clients must be of releases that fit each other, slurmdbd the newest",
        r"protocol[_ ]version|(?:unknown|unsupported|incompatible|invalid|different) (?:\w+ )?"
        r"(?:protocol|rpc(?! received)|version)|version (?:\w+ )?(?:mismatch|not supported|"
        r"incompatible|is too)|"
        r"incompatible version|(?:too (?:old|new)|older|newer) (?:version|slurm)|header version",
    ),
    part(
        "Slurm: daemons do not reach a host: the name cannot be resolved (DNS)",
        r"unable to resolve (?:host\w* )?\"\"|getaddrinfo\(\) failed|can't find address for host",
    ),
    part(
        "accounting: the association of a user may not use a QOS, partition or account that a job "
        "asks for (sacctmgr modify user)",
        r"does not have access to (?:qos|account|partition|wckey|reservation)",
    ),
    part(
        "Slurm: authentication with MUNGE fails: munged does not run, its socket or key differs, "
        "or the clocks do",
        r"\bmunged?\b",
        r"munge",
    ),
    part(
        "Slurm: authentication with its own keys (slurm.key, slurm.jwks, jwt key, sackd) fails: a "
        "key is missing, differs between the hosts or may be read by others, or a token is not "
        "signed with it",
        r"\bjw(?:t|ks?)\b|\bkid\b|\bsackd?\b|slurm\.(?:key|jwks)|jwt_\w+|key ?file|\bHMAC\b|"
        r"default_key|jwks",
        r"(?:auth|cred)/(?:slurm|jwt)|sack|jwt|jwk|_key_list|(?:create|decode|extract|verify|"
        r"copy)_(?:internal|external)|identity|"
        r"net_alias|net_cred|_list_addr|_dict_hostname|_sbcast$",
    ),
    part(
        "Slurm: a credential of a job or of authentication is not accepted or cannot be made: "
        "keys, versions or clocks of the hosts differ, or the job ended meanwhile",
        r"credential|\bcred_\w+|auth_[gp]_\w+|authenticat|(?:host|node) \S+ not in \w*\s?hostlist|"
        r"no (?:auth|cred)\b",
        r"^_?(?:cred|auth)_|_cred$",
    ),
    part(
        "Slurm: TLS between its daemons cannot be used: a certificate or its key is missing, not "
        "signed by the cluster's authority, or readable by others",
        r"\btls\b|\bs2n\w*|certmgr|certgen|certificate|private key|\bca_?cert|\bCSR\b|\bx509",
        r"tls|s2n|cert(?:mgr|gen)",
    ),
    part(
        "Slurm: GPUs are not found as gres.conf asks (AutoDetect): the driver, NVML or another "
        "vendor's library does not answer on the node, or slurmd is built without it",
        r"\bnvml(?!-)|\brsmi\b|\boneapi|\bMIG\b|AutoDetect|cpu_range|"
        r"\b(?-i:GPUs?)\b(?! specification)[^\n]{0,60}"
        r"(?:fail|not |unable|error)|Failed to (?:get|enumerate|set|initialize|find) [^\n]{0,40}"
        r"(?:devices?\b|GPU|card|driver|frequency|clock)|machine to abstract|\bnvidia(?!_imex)",
        r"gpu/|gpu_|nvml|rsmi|oneapi|_(?:get|set)_freq",
    ),
    part(
        "Slurm: gres.conf or a job's gres does not fit the node: names, types, counts, files, "
        "cores or links differ between gres.conf, slurm.conf and the hardware",
        r"\bgres\b|gres\.conf|gres/\w+|MultipleFiles|\b(?-i:File)=|\bshards?\b|\b(?-i:MPS)\b|"
        r"links string|-per-socket|[Tt]res[- _]per|gpu-bind|tres-?bind|map or mask value|"
        r"ntasks_per_tres|generic resource|File and |\bFile specification|config-only GPU|"
        r"\bGRES\[",
        r"gres",
    ),
    part(
        "Slurm: MPI tasks cannot be wired up (PMIx, PMI-2): the plug-in, its folder or ports, "
        "or a "
        "task or node of the step fails",
        r"\bpmix\w*|mpi/\w+|\bPMI[12x]?\b|key-val|\bKVS\b|\b(?-i:MPI)\b|temp_kvs|task offset",
        r"(?<![a-z])mpi|pmix|(?<!i)pmi|kvs|_abort_agent|\bring_|_pp_|_dmdx",
    ),
    part(
        "Slurm: the private folders of a job (job_container/tmpfs, namespace) cannot be made, "
        "mounted or joined on the node",
        r"job_container|namespace_[gp]_\w+|container_[gp]_\w+|\bbasepath|pivot_root|setns|"
        r"bind mount|umount|remount|mount failed|clonensscript|\bnamespace\b",
        r"namespace|container_[gp]|_ns$|_ns_|(?:mount|chown|clean_job|rm)_?(?:dir|private|base)|"
        r"basepath",
    ),
    part(
        "Slurm: cgroups cannot be used on the node (not mounted, another version, a controller "
        "that systemd does not delegate, or processes left in them)",
        r"c-?group|memory\.(?:max|high|peak|current|swap)\w*|hierarchical accounting|"
        r"xcgroup|subtree_control|Controller \w+ is|\bbpf\b|fsmount|oom (?:event|notif)|"
        r"\bdbus\b|freezer|device constrain|devices namespace|MemorySwappiness|"
        r"physical cores",
        r"cgroup|_cg_|bpf|oom_mgr|common_file_(?:read|write)|dbus|task_cgroup",
    ),
    part(
        "Slurm: a container of a job (OCI, --container) cannot be made from its bundle: oci.conf, "
        "config.json or the runtime",
        r"\boci\b|oci\.conf|config\.json|container (?:state|spool|bundle|id|runtime)|"
        r"(?-i:RunTime)\w+|--container|\bbundle\b",
        r"_oci|oci_",
    ),
    part(
        "Slurm: the prolog or the epilog of a job failed or did not end in time on the node, "
        "which "
        "is drained: see its script and log",
        r"\b\w*(?:pro|epi)log(?!Flag|Slurm)\w*",
        r"prolog|epilog|prep/|prep_[gp]_",
    ),
    part(
        "Slurm: the health check of a node (HealthCheckProgram) failed or did not run",
        r"health_?check\w*|HealthCheck\w+",
        r"health_check",
    ),
    part(
        "Slurm: mails about jobs cannot be sent (MailProg)",
        r"\bMailProg\b",
    ),
    part(
        "Slurm: a file or folder of it may be written or read by other users, so that they can "
        "take over the daemon: correct its owner and permissions",
        r"WORLD (?:WRITABLE|READABLE)|CORRECT FILE PERMISSIONS|SEVERE SECURITY VULNERABILITY",
    ),
    part(
        "Slurm: a SPANK plug-in (plugstack.conf) cannot be loaded or failed on the node, such as "
        "pyxis: its own messages say why",
        r"\bspank\w*|plugstack|plugin stack",
        r"spank",
    ),
    part(
        "Slurm: the script or library that checks jobs or requests (job_submit, cli_filter, lua) "
        "failed or refused",
        r"job_(?:submit|modify)(?:/|_plugin)|cli_filter|\blua\b|slurm_job_\w+\(\)|\.lua\b",
        r"job_(?:submit|modify)/|cli_filter|lua",
    ),
    part(
        "Slurm: X11 forwarding of the job cannot be set up: xauth is missing, the node has no "
        "free port, or the display of the submitting host is not reached",
        r"\bx11\b|xauth",
        r"x11|xauth",
    ),
    part(
        "Slurm: an accounting or profiling plug-in (energy, interconnect, file systems, HDF5) "
        "cannot read its values or write its file; jobs still run",
        r"acct_gather\w*|\bipmi\w*|\bDCMI\b|\brapl\b|\bxcc\b|\bhdf5?\b|\benergy\b|\bprofile\b|"
        r"(?:series|dataset|hdf) |\bPMA\b|\bofed\b|\bumad|influx|power reading|"
        r"accounting frequency",
        r"acct_gather|ipmi|dcmi|rapl|xcc|hdf5|_joules|_power_reading|_get_latest_stats|_pma|ofed|"
        r"influx|profile",
    ),
    part(
        "Slurm: records of finished jobs are not delivered (JobCompType: a file, script, "
        "Elasticsearch, Kafka or database does not answer); jobs still run",
        r"jobcomp\w*|job ?completion (?:log|plugin|record)|elasticsearch|kafka|finished jobs may|"
        r"JobComp(?:Loc|Host|Type)",
        r"jobcomp",
    ),
    part(
        "Slurm: nodes cannot be started or stopped on demand (power saving): ResumeProgram, "
        "SuspendProgram or a setting of them fails",
        r"power[_ -]?(?:save|saving|action)\w*|(?:Resume|Suspend)(?:Program|Timeout|Rate|Exc\w+|"
        r"FailProgram)|MaxPoweredUpNodes|power(?:ing)? (?:up|down)|suspend_exc",
        r"power_|_(?:resume|suspend)_(?:prog|node)",
    ),
    part(
        "Slurm: the reboot or the change of features of a node failed: RebootProgram or the "
        "plug-in of node_features",
        r"RebootProgram|\breboot\w*|node_features\w*|set features|active_features",
        r"reboot|node_features",
    ),
    part(
        "accounting: the version of the tables or settings of the database does not fit slurmdbd: "
        "convert it with the primary slurmdbd of the new release",
        r"convert[^\n]{0,30}(?:database|tables?\b|\bdb\b)|(?:database|db|table) (?:version|"
        r"schema)|"
        r"innodb\w*|version of (?:mysql|mariadb|the database)|not recommended values",
        r"convert_(?:tables|usage|job|step)|_conv_",
    ),
    part(
        "accounting: slurmdbd cannot use its database (MySQL or MariaDB): it does not answer, "
        "refuses a statement or the login, or holds other data than expected",
        r"\bmysql\w*|\bas_mysql\w*|mariadb|database|\bquery\b|\bSQL\b|roll ?up\b|rollback|commit |"
        r"could(?:n't| not) add (?:a )?(?:txn|cluster|user|assoc|account|qos|wckey|tres|"
        r"federation|"
        r"coord|resource|\w+ to the)|archiv\w*|purge\b|Storage(?:Host|Pass|User|Loc|Type)\b|"
        r"modify (?:users?|job|assoc)|get any records",
        r"mysql|archive|rollup|_cluster_tables|acct_storage_p|jobacct_storage|_db_",
    ),
    part(
        "accounting: slurmctld and slurmdbd do not reach each other, so that records wait in a "
        "queue and are lost when it is full: slurmdbd does not run, its port is closed, or "
        "versions differ",
        r"slurm_?dbd\b|\bdbd\b|DBD_\w+|DbdHost|agent queue|persist(?:ent)?[_ -]?(?:conn|init)\w*|"
        r"AccountingStorage(?:Host|Port|Backup)\w*|accounting_storage\w*",
        r"dbd|persist_conn",
    ),
    part(
        "Slurm: an error of its own bookkeeping (a count or pointer that must not be so): it is "
        "harmless once; restart or update the daemon, and report it, if it stays",
        r"underflow|should(?: never|n't| not) (?:happen|be|get|execute|ever)|"
        r"(?-i:(?<!\()\bNULL\b)|mis-?count|inconsisten\w*|assert|count (?:is )?(?:wrong|bad)|"
        r"lacks assigned nodes|\bno (?:job resources|job_resrcs|details|ret_list)|"
        r"job array hash|task ID hash|out of sync\b|record found with no|"
        r"(?:Retry|Node|ping_)count|index mismatch|(?:under|over)-?allocat|"
        r"pointer (?:reset|is)|Bad het_job_list|lacks het_job_list|bitmap",
    ),
    part(
        "accounting: users, accounts, QOS or limits that slurmctld keeps differ from those of "
        "slurmdbd, or the cluster is not registered there; restart slurmctld if it stays",
        r"\bassoc(?:iation)?s?\b|\b(?-i:QOS)\b|\bqos\b|\bwckeys?\b|\btres\b|\baccounts?\b|"
        r"cluster to accounting|coordinator|fairshare|Priority(?:Decay|Usage|Weight|Calc)\w*",
        r"assoc|qos|wckey|priority|accrue|acct_policy|slurmdb|(?<!cons_)tres",
    ),
    part(
        "Slurm: the saved state of a daemon cannot be read or written (StateSaveLocation, "
        "SlurmdSpoolDir): the folder is missing, full, not writable, shared by two controllers, "
        "or of another release",
        r"\bstate[ _-]?(?:save|file|data|dir|location)\w*|(?:save|recover\w*|restore\w*|dump|"
        r"load|incomplete)[ _](?:\w+[ _])?state\b|StateSaveLocation|SlurmdSpoolDir|spool ?dir|"
        r"data checkpoint|state checkpoint|slurm_script|batch (?:script|dir)|hash table|"
        r"job_script|checkpoint file|script file|(?:unpack|load) \w+(?: from)? state|"
        r"lost, state set|"
        r"Incomplete \w+ ?\w* (?:state|record|data)|split brain|running as primary|heartbeat|"
        r"(?:reading|writing) (?:file|to|job) |signed certificate[^\n]*state|conf-?cache",
        r"_state$|state_(?:save|file|load)|_(?:load|dump|recover|restore|pack|unpack|"
        r"open)_\w*state\w*|"
        r"heartbeat|clustername|_spool",
    ),
    part(
        "Slurm: a node does not get its configuration from the controller (configless): "
        "slurmctld does not answer on its port, or DNS has no SRV record of it",
        r"load configs|configless|\bSRV\b|conf[- ]server|remote config|config(?:uration)? source",
        r"fetch_|_fetch|establish_config|_conf_from|_config_from|dump_to_memfd|reconf",
    ),
    part(
        "Slurm: the topology of the cluster (topology.conf, topology.yaml) is not valid, or does "
        "not have all nodes",
        r"topolog\w*|\btopo_\w+|leaf switch|\btorus\w*|BlockSizes?|(?:create|"
        r"add) (?:a )?(?:switch|"
        r"block|ring)\b|SwitchName|block (?:size|config|record|name)|switch(?:es)? (?:config|"
        r"lack|record|hierarchy)",
        r"topology|torus|(?:switch|block|ring)_record",
    ),
    part(
        "Slurm: licences are configured wrongly or counted wrongly (Licenses in slurm.conf, "
        "resources.yaml, resources in slurmdbd)",
        r"licen[sc]e\w*|\blic_id|hierarchical resource|rooted tree",
        r"licen|hres",
    ),
    part(
        "Slurm: a reservation is not valid or cannot be kept: its nodes, times, users or "
        "accounts do not exist, or are taken",
        r"\breserv(?:ation|ed)\w*|\bresv\w*",
        r"resv|reservation",
    ),
    part(
        "Slurm: clusters of the federation do not reach each other or have different jobs",
        r"\bfed\b|federat\w+|sibling|origin (?:cluster|id|job)|\bsib\b|\bfed_job\w*|"
        r"cluster (?:rec )?by (?:cluster )?id|viable clusters|"
        r"(?:find|by) (?:at least one )?cluster\b",
        r"fed_|_fed|sib|origin|ctld_mult",
    ),
    part(
        "Slurm: the interconnect's plug-in (switch) cannot give a job its network: its service or "
        "device does not answer",
        r"\bswitch/\w+|slingshot|\bvni\w*|\bcxi\w*|\bhsn\w*|\bimex|hwcoll\w*|\bTLE\b|"
        r"fabric manager",
        r"switch/|switch_p|imex|vni|cxi|_channel$|curl_|hwcoll",
    ),
    part(
        "Slurm: processors, memory banks or frequencies of a node cannot be used as the job or "
        "the configuration asks (affinity, NUMA, hwloc, cpufreq)",
        r"cpu_freq\w*|governor|\bnuma\b|--(?:mem|cpu)[-_](?:bind|freq)|affinity|hwloc|lllp|"
        r"cpu(?:s|set)? (?:mask|number|spec|frequency)|core ?spec\w*|(?-i:CpuSpec|MemSpec)\w*|"
        r"l3cache|CPUs computation|CPU binding|layout tasks|avail_map|"
        r"(?:sockets?|core|thread|board)s? count|scaling",
        r"cpu_freq|numa|affinity|xcpuinfo|lllp|_bind|dist_tasks|mem_bind|task/",
    ),
    part(
        "slurmd: a limit of the system cannot be set for the job's processes, or is too low",
        r"rlimit\w*|ulimit|RLIMIT_\w+|core limit|memlock|PropagateResource\w*|"
        r"oom_score\w*|[gs]etpriority|\bnice\b",
        r"[ru]limit|user_limits|oom_adj|setprio",
    ),
    part(
        "slurmstepd: a task of the job cannot be given its user, groups or session: users differ "
        "between the nodes, PAM refuses, or the daemon may not change users",
        r"\bpam_?\w*|\bset(?:e?[ug]id|groups|resuid|resgid)|init_?groups|getgr\w*|getpw\w*|"
        r"getgroups|"
        r"supplementary groups|\buid\b[^\n]{0,40}(?:not found|lookup|unknown|resolve|nobody)|"
        r"(?:invalid|unknown|no such) (?:user|group|uid|gid)\b|\bpasswd\b|nss_slurm|SELinux|"
        r"as nobody|(?:reclaim|drop)\w* (?:priv|saved)",
        r"pam|uid|gid|groups|getpw|getgr|privileges",
    ),
    part(
        "slurmstepd: the files or streams of a task (input, output, working directory) cannot be "
        "opened on the node, or the connection to srun that carries them is lost",
        r"\bstd(?:in|out|err)\b|\b(?-i:I/?O)\b|\beio\w*|chdir|working dir\w*|getcwd|\bpty\b|"
        r"wrote \d+ of|sbcast|file transfer|shared object|broadcast",
        r"(?:^|_)e?io_|_io\b|io_|bcast|pty|stdio|_file_read|_file_write",
    ),
    part(
        "slurmd: processes of a job cannot be tracked, signalled or ended (proctrack)",
        r"proctrack\w*|\bkill(?:ing|ed|_\w+)?\b(?!-)|\bpgid\b|ptrace|(?<![\w/])jobacct\w*|"
        r"\bpid \d+|"
        r"still running|zombie|/proc/\S*stat|signal \d",
        r"proctrack|kill|signal|jobacct|terminate|pause|suspend|_reap|waitpid|run_command",
    ),
    part(
        "Slurm: the environment of a job cannot be set: it is larger than the system allows, or "
        "memory is short",
        r"(?<!script )environment|\benv (?:var|array)|in env\b|env variable|"
        r"(?:set|put|export|overwrit)\w* (?-i:SLURM\w*_[A-Z_]+)",
        r"(?:^|_)env(?:_|$)|environ",
    ),
    part(
        "slurmd: it does not reach the step's daemon (slurmstepd), which ended, hangs, or was "
        "never started",
        r"\bstepd(?:_\w+)?\b|slurmstepd|step ?(?:manager|mgr|daemon)",
        r"stepd",
    ),
    part(
        "Slurm: a node cannot register or differs from its configuration: its name, address, "
        "hardware or boot in slurm.conf",
        r"\bregistr?\w*|NodeName|NodeAddr|NodeHostName|NodeSet|find_node\w*|(?:unknown|invalid|"
        r"duplicate|missing|bad) (?:node|host)\w*|RealMemory|nodelist|hostlist|hostset|nodes? \S+ "
        r"(?:has|differs|not (?:in|found|configured|known)|appears|is )|no node\b|nodename",
        r"node_(?:conf|mgr|record|spec|did|hash|list|name)|validate_node|hostlist|hostset|_range|"
        r"register|tmp_disk|_memory$",
    ),
    part(
        "Slurm: a plug-in that the configuration names is not installed, was built for another "
        "release, or does not start",
        r"plug-?ins?\b|plugin_\w+|dlopen|dlsym|\bcontext for\b|data_parser|serializer|"
        r"[Ff]ailed to (?:init|initialize) \w+$",
        r"plugin|plugrack|data_parser|serializ",
    ),
    part(
        "Slurm: daemons do not reach each other: a daemon does not run or answers too late, its "
        "port is closed, or a message is damaged",
        r"slurm_(?:send|receive|recv|open|unpack|msg|init_msg|accept|conn|get_\w*addr|get_peer|"
        r"set_addr|bind|listen|bufs)\w*|(?<!/)\bsocket\b(?!/)|connect(?:ion|ing|ed)?\b|\baccept\(|"
        r"listen\w*|\bpoll\b|\bepoll\w*|\bRPCs?\b|rpc_\w+|(?-i:REQUEST_\w+|RESPONSE_\w+|"
        r"MESSAGE_\w+)|"
        r"msg_type|msg type|\bmessages?\b|con_?mgr\w*|communication|\bports?\b|\[fd:|revents|"
        r"(?:not?|bad|invalid|unexpected|wrong|lost) (?:\w+ )?respon[sd]\w*|ok ack|port_in|"
        r"addrinfo|forward|resolve \S*(?:host|addr)|batch launch|nodes to respond|agent threads|"
        r"batch completion|talking with itself",
        r"slurm_(?:send|recv|receive|msg|open|unpack|init_msg|accept|conn|get_\w*addr|set_addr|"
        r"bind|"
        r"listen|bufs|net)|forward|_fwd|agent|conmgr|con_mgr|duplex|socket|poll|accept|listen|"
        r"slurmscriptd|_con_|_on_(?:data|msg|conn\w*|finish)|unpack|_msg",
    ),
    part(
        "Slurm: a job, step or partition of a request or of the saved state is not as slurmctld "
        "expects: it, its partition, nodes or limits do not exist, or were removed",
        rf"(?:{_ABSENT})[^\n]{{0,60}}(?:{_REQUESTED})|(?:{_REQUESTED})[^\n]{{0,80}}(?:{_ABSENT})",
    ),
    part(
        "Slurm: slurm.conf, another of its configuration files or an option of a command is not "
        "valid or cannot be read",
        r"\b[a-z_]+\.(?:conf|yaml)\b|(?<!node )(?<!core )configuration|pars(?:e|er|ing)\b|"
        r"(?-i:\b(?:[A-Z][a-z]+){2,}"
        r"\w*\b)[^\n]{0,60}(?:invalid|must|cannot|not |requires|need|bad|ignored|"
        r"should (?:be (?:set|specified)|have|not))|"
        r"(?:invalid|bad|"
        r"illegal|unrecognized|unknown|duplicate)[^\n]{0,40} (?:value|param\w*|option|argument|"
        r"key\w*|"
        r"specification)|(?-i:[Bb]ad value)|--[a-z-]{3,}|expression|has been removed|defunct|"
        r"obsolete|must be (?:specified|set|configured)|(?:ignoring|"
        r"ignored)[^\n]{0,20}(?-i:[A-Z])",
        r"(?:^|_)(?:config|conf|parse|opt|option)(?:_|$)|s_p_",
    ),
)
"""In the order in which they are tried: what a message is about before what it only names."""

_NO_ERRNO: Final = re.compile(
    r"No such (?:file or directory|device)|Permission denied|Operation not permitted|"
    r"Connection (?:refused|timed out|reset by peer)|Input/output error|No space left on device|"
    r"Address already in use|Cannot allocate memory|Invalid argument|File exists",
)
_OF_SCRIPT: Final = re.compile(
    # What follows is the text of a site's own script.
    r"^(?:error: )?(?:job_submit[/._]\w+|cli_filter[/._]\w+|lua|slurm_job_(?:submit|modify))"
    r"(?:\(\))?: "
)
_MESSAGE: Final = re.compile(r"\b(?P<sort>REQUEST|RESPONSE|MESSAGE|DBD)_[A-Z0-9_]+\b")
"""Names of messages between daemons, whose words say nothing about their failure."""
_REQUEST: Final = re.compile(
    r"^(?:error: )?_{0,2}slurm_rpc_(?P<request>\w+)(?:\(\))?[^:\n]{0,80}: (?P<answer>.*)"
)
_SUBMITS: Final = re.compile(r"submit|allocate|will_run")
_NUMBER: Final = re.compile(r"\b\d+\b")
_PLACE: Final = re.compile(
    r"^(?:error: |fatal: )?(?P<place>(?:[a-z]\w*/[\w/]+|_{0,2}[a-z]\w*_\w+|\w+/\w+))(?:\(\))?: "
)


def wrong(message: str) -> str | None:
    """What is wrong by the part of Slurm that writes a message; None if no part has it."""
    return _wrong(_NUMBER.sub("0", message))


@functools.lru_cache(maxsize=20_000)
def _wrong(message: str) -> str | None:
    """The same; daemons repeat an error with other numbers without end."""
    if _OF_SCRIPT.match(message):
        return _SCRIPT.wrong
    plain = _MESSAGE.sub(r"\g<sort>_X", parts.own_words(_NO_ERRNO.sub("", message)))
    found = _PLACE.match(plain)
    place = found.group("place") if found is not None else ""
    words = plain[found.end() :] if found is not None else plain
    of_request = _REQUEST.match(plain)
    if of_request is not None:
        words = of_request.group("answer")
    for one in _ANY_PLACE:
        if one.has("", words):
            return one.wrong
    if _COUNTS.search(words):
        return _BOOKKEEPING.wrong
    if of_request is not None:
        return _answer(of_request.group("request"), words)
    for one in PARTS:
        if place and one.place is not None and one.place.search(place):
            return one.wrong
    for one in PARTS:
        if one.words is not None and one.words.search(words):
            return one.wrong
    return None


_ANY_PLACE: Final = PARTS[:6]
"""What is said by words alone, whatever part of Slurm says it."""
_SCRIPT: Final = next(one for one in PARTS if "cli_filter" in one.wrong)
_BOOKKEEPING: Final = next(one for one in PARTS if "its own bookkeeping" in one.wrong)
_COUNTS: Final = re.compile(r"underflow|(?:under|over)-?allocat", re.IGNORECASE)
_CONNECTION: Final = next(one for one in PARTS if "daemons do not reach each other" in one.wrong)


def _answer(request: str, text: str) -> str | None:
    """What slurmctld's answer to a request says: the request itself says nothing about it."""
    if "Unspecified error" in text and not _SUBMITS.search(request):
        return None
    said = slurm_texts.meaning(text)
    return f"Slurm: {said}" if said else None


_DAEMON: Final = re.compile(
    r"^(?:\S{0,40} ){0,6}?(?:(?P<daemon>slurmctld|slurmd|slurmdbd|slurmrestd|sackd|slurmstepd)\b"
    r"[^\n]{0,50}?|\[[\d.T:+-]{19,40}\] (?:\[[\w.]+\] )?)"
    r"(?P<level>error|fatal): (?P<message>[^\n]{3,400})"
)


def error(text: str) -> str | None:
    """What is wrong by a line of a daemon that says `error:`; None for other lines."""
    found = _DAEMON.search(text)
    return None if found is None else cause(found.group("message").strip(), found.group("daemon"))


def cause(message: str, daemon: str | None = None) -> str | None:
    """What is wrong by a message of a daemon; None if neither part nor words say it."""
    if message.startswith("pyxis:"):
        return parts_containers.cause(message.removeprefix("pyxis:").strip())
    said = wrong(message)
    if said is None and daemon == "slurmdbd":
        said = "accounting: slurmdbd cannot do what it was asked"
    if said is not None:
        if said == _CONNECTION.wrong and parts.reason(message):
            # What the system answered is the one of its possibilities that is so.
            said = "Slurm: daemons do not reach each other"
        return parts.whole(said, message)
    if _REQUEST.match(message):
        return None  # The errno of an answer is not one of the system.
    answer = parts.reason(message)
    if answer is None:
        kind = kind_of(parts.own_words(message), PLAIN)
        answer = kind.sentence if kind is not None else None
    return f"Slurm: {answer}: {message}" if answer else None


FOREIGN: Final = frozenset(
    {
        "quota",
        "script-exit",
        "shared-memory",
        "fabric-manager",
        "checksum",
        "hardware",
        "throttled",
        "nccl-peer",
    }
)
"""Signatures whose words Slurm's daemons use for other things."""


def is_line(text: str) -> bool:
    """Whether a line is an error of a daemon of Slurm."""
    return bool(_DAEMON.search(text))


def is_fatal(text: str) -> bool:
    """Whether a daemon of Slurm ends with a line, whatever it says may be ignored."""
    found = _DAEMON.search(text)
    return found is not None and found.group("level") == "fatal"

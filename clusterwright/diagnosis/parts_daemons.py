"""Daemons of a node's operating system, by their names in syslog and the words of their messages.

Sources: dun/munge (src/munged), mlichvar/chrony (messages of LOG and LOG_FATAL), SSSD (data
provider of LDAP and AD, child processes, monitor), MariaDB (error log of the server and InnoDB),
threads in docs/explanations/diagnosed-failures-twenty-second-hold-out.yaml; read 2026-11.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.programs import Program

_REACHED: Final = (
    r"(?:Failed|Unable|Could not|Cannot|Can't) (?:to )?(?:re)?(?:connect|contact|resolve)|"
    r"going offline|is offline|Can't contact|Connect error|\bServer is down|no servers? available|"
    r"marked as (?:not working|offline)"
)

MUNGE: Final = Program(
    "MUNGE",
    (r"\bmunged(?:\[\d+\])?: (?:munged: )?(?:Error|Critical|Emergency|Alert)\b",),
    (
        part(
            "munged does not start: a folder or file of it has permissions or an owner that it "
            "refuses (its key, log, socket, seed, or a folder above them)",
            r"\bis insecure|world-writable|group-writable|should be owned|invalid ownership|"
            r"permissions? (?:for|of|should)|Failed to (?:open|check|create|access)[^\n]*"
            r"Permission denied",
        ),
        part(
            "munged does not start: its key (/etc/munge/munge.key) is missing or too short; every "
            "node needs the same",
            r"keyfile|\bkey\b",
        ),
        part(
            "munged does not start: another munged runs already, or its socket was left behind",
            r"already (?:running|in use|bound)|\bis in use|Address already|lock(?:file)?\b",
        ),
        part(
            "munged does not start: an option or a path of it is not valid",
            r"option|invalid|unrecognized|Failed to",
        ),
    ),
    frozenset({"munge-down", "munge-key", "munge-clock"}),
)

DIRECTORY: Final = Program(
    "SSSD (users of the directory)",
    (
        r"\bsssd(?:_be|_nss|_pam|_ssh)?(?:\[|:)",
        r"\[be\[[^\]\n]{1,80}\]\]",
        r"\[sssd\[",
        r"\b(?:nslcd|ldap_child|krb5_child)\[",
    ),
    (
        part(
            "the connection to the directory (LDAP) has no encryption: its certificate is not "
            "trusted, has expired or has another name",
            r"TLS|certificate|ldap_install_tls|SSL",
        ),
        part(
            "the node cannot log in to the directory: its keytab, computer account, bind user or "
            "password is not valid, or clocks differ",
            r"keytab|Preauthentication|GSSAPI|Invalid credentials|Clock skew|"
            r"Client '[^']*' not found|kinit|bind (?:failed|error)|Credentials cache",
        ),
        part(
            "SSSD does not start: its configuration (sssd.conf) is missing, not valid, or "
            "readable "
            "by others",
            r"sssd\.conf|configuration|No domains configured|ConfDB|confdb",
        ),
        part("the directory is not reached, so users and groups are unknown", _REACHED),
        part(
            "a process of SSSD ended or hung, so users and groups are unknown",
            r"Exiting the SSSD|critical service|WATCHDOG|terminated by|Could not restart",
        ),
        part(
            "its cache is damaged: remove /var/lib/sss/db and start it again",
            r"\bldb\b|tdb|corrupt|sysdb",
        ),
    ),
)

CLOCK: Final = Program(
    "the node's clock (chrony)",
    (r"\bchronyd?(?:\[\d+\])?: ",),
    (
        part(
            "an NTS server has a certificate that the node does not trust: it has expired, or the "
            "clock is wrong",
            r"certificate|TLS handshake",
        ),
        part(
            "the name of a time server cannot be resolved",
            r"Could not (?:resolve|get address)|Invalid host",
        ),
        part(
            "another program sets the clock or has its port, so chronyd ends",
            r"Another chronyd|already be running|Could not open (?:NTP|command) socket",
        ),
        part(
            "chronyd may not set the clock: it runs in a container or lacks CAP_SYS_TIME",
            r"adjtimex|adjfreq|adjtime|settimeofday|Could not step|Not superuser|cap_set_proc|"
            r"seccomp",
        ),
        part(
            "its configuration (chrony.conf) is not valid",
            r"at line \d+|directive|Could not parse|Bad (?:subnet|syntax)",
        ),
        part(
            "a clock of the hardware (PTP or RTC) cannot be used",
            r"\bPHC\b|\bRTC\b|refclock|timestamping",
        ),
    ),
    frozenset({"clock"}),
)

DATABASE: Final = Program(
    "accounting: the database (MariaDB, MySQL)",
    (
        r"\b(?:mariadbd?|mysqld)(?:\[\d+\])?: ",
        # Date, time and thread, or a part of the server: every program may write [ERROR].
        r"\b\d{4}-\d\d-\d\d[T ]+\d?\d:\d\d:\d\d(?:\.\d{6}Z?)? \d+ \[ERROR\]",
        r"\[ERROR\] (?:(?:InnoDB|Aria|mariadbd|mysqld)\b|Plugin '|\[MY-\d+\])",
    ),
    (
        part(
            "does not start: its files are locked by another server, or a server runs already",
            r"Unable to lock|Can't (?:lock|init tc log)|already running|another (?:mysqld|"
            r"process)|"
            r"Address already in use|Bind on",
        ),
        part(
            "a table or the log of its storage (InnoDB, Aria) is damaged: repair it, or restore a "
            "backup",
            r"corrupt|marked as crashed|Incorrect (?:key|information)|doesn't match|log sequence|"
            r"checksum|page \[|tablespace|ib_logfile|redo log|undo",
        ),
        part(
            "does not start: its storage (InnoDB) cannot be initialised; the message before says "
            "why: memory, files of another version, or permissions",
            r"InnoDB|storage engine|Plugin '",
        ),
        part(
            "has no room: its disk is full",
            r"Disk (?:is )?full|No space left|errno: 28",
        ),
        part(
            "may not open its files: their owner or SELinux",
            r"Permission denied|Errcode: 13|errno: 13",
        ),
        part(
            "does not start: its configuration or an option is not valid",
            r"unknown (?:variable|option)|Can't (?:find|open|start|create|read)|Aborting|Fatal",
        ),
    ),
    frozenset(
        {"database-schema", "database-unreachable", "database-refused", "database-statement"}
    ),
)

CLOUDWATCH: Final = Program(
    "CloudWatch agent",
    # Levels of Telegraf, of which the agent is made: E! is an error.
    (
        r"(?:^|\s)E! (?:\[(?:telegraf|agent|inputs|outputs|processors|aggregators|logagent)|"
        r"WriteTo)",
    ),
    (
        part(
            "its plug-in for GPUs finds no nvidia-smi: the node has no driver, or the agent's "
            "container does not have the node's",
            r"nvidia[_-]smi",
        ),
        part(
            "it cannot send to CloudWatch",
            r"WriteToCloudWatch|\[outputs|send request|PutLogEvents|PutMetricData|RequestError|"
            r"credential",
        ),
        part(
            "its configuration is not valid",
            r"\bconfig|toml|json|undefined|pars(?:e|ing)|"
            r"unmarshal|validate",
        ),
        part("one of its plug-ins fails", r"plug-?in|\[inputs|\[processors|\[aggregators"),
    ),
)

PROGRAMS: Final = (MUNGE, DIRECTORY, CLOCK, DATABASE, CLOUDWATCH)

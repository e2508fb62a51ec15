"""What the texts of `slurm_strerror` mean.

Source: Slurm's table of error codes (src/common/slurm_errno.c, 24.05 to 26.05).
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.wording import meaning_of

ERRORS: Final = (
    (
        r"Unspecified error: ",
        "a plug-in of the cluster that checks jobs (job_submit) refused it, with these words",
    ),
    (
        r"Socket timed out on send/recv|Communication (?:connection|shutdown) failure|"
        r"Message (?:send|receive) failure|Connection timed out (?:establishing|writing|reading)|"
        r"Connection forced closed by quiesce|(?:Slurm backup controller|Controller is) in "
        r"standby",
        "slurmctld or another daemon of Slurm does not answer in time: it is overloaded, it is "
        "being started, or the network to it is closed",
    ),
    (
        r"Rate limit exceeded, please retry",
        "slurmctld refuses more requests of this user for a while (its rate limit): ask less "
        "often",
    ),
    (
        r"Invalid job array specification|Job Array ID",
        "the job array is not valid: an index is as large as MaxArraySize or larger, or its "
        "form is wrong",
    ),
    (
        r"I/O error writing script/environment to file|Slurmd could not create a batch directory",
        "slurmctld or slurmd cannot write the job's script: StateSaveLocation or SlurmdSpoolDir "
        "is full or not writable",
    ),
    (
        r"System submissions disabled|operation is presently disabled|Only batch jobs are "
        r"accepted",
        "the cluster accepts no such jobs at present: an administrator disabled it",
    ),
    (
        r"(?:Access|Burst Buffer|/)[ /]?permission denied|Access denied to requested reservation|"
        r"group not permitted to use this partition|Operation not permitted on individual",
        "the user may not do this: a partition, reservation or account does not allow it",
    ),
    (
        r"(?:MaxJobCount|Step) limit reached|Too many job steps|Max powered up nodes reached|"
        r"node table is full|Burst Buffer resource limit",
        "a limit of the cluster is reached",
    ),
    (
        r"Invalid job credential|Job credential (?:revoked|replayed)|Error generating job "
        r"credential|Cannot unpack credential|Invalid authentication credential|"
        r"Token Generation failed",
        "authentication failed: the nodes have different keys (MUNGE or slurm.key), versions of "
        "Slurm or clocks",
    ),
    (
        r"Invalid MPI (?:type|plugin name)|invalid MPI type|MPI plugin's pre-launch setup failed",
        "the MPI type is not available here: Slurm has no such plug-in, or the PMIx library "
        "that it needs cannot be loaded",
    ),
    (
        r"Plugin initialization failed|Spank plugin failure",
        "a plug-in (SPANK or another) failed on the node or is not installed there",
    ),
    (
        r"Unable to resolve (?:user|group) ID|Invalid (?:user|group) id|could not set UID or GID|"
        r"user nobody or group nobody",
        "the user or group is not known there: users differ between the nodes",
    ),
    (
        r"cpu bind request|layout tasks on given cpus|more threads per core than",
        "tasks cannot be bound to the processors of the allocation",
    ),
    (
        r"Can't find an address, check slurm\.conf",
        "the address of a node is not known: slurm.conf and DNS do not have it",
    ),
    (r"(?:Job|Circular job) dependency", "the job's dependency is not valid or cannot be met"),
    (
        r"topology (?:configuration|unit)|do not fit topology|nodes in topology",
        "the nodes that the job asks for do not fit the topology of the cluster",
    ),
    (
        r"Required ports are in use|Requires more ports",
        "the ports that the step needs (MpiParams) are in use",
    ),
    (
        r"Slurmd could not (?:execve|connect IO|set up environment)",
        "the node cannot start the job's processes",
    ),
    (
        r"Unable to connect to database|wrong with the SQL|Database connection reference",
        "the accounting database does not answer slurmdbd",
    ),
    (
        r"Requested |More processors requested|(?:Node|CPU|Task|Core) count|specification\b|"
        r"Insufficient GRES|Required (?:nodes?|partition) (?:not|lack)|Partition in DOWN|"
        r"Job (?:can not|cannot) (?:start|be submitted)|Memory required by task|"
        r"Invalid (?:node|partition|feature|extra|--nice|time)|Job size specification|"
        r"No partition specified|RestrictedCoresPerGPU|X11 forwarding not available",
        "the job asks for what the cluster or its allocation does not have, or in a form that "
        "is not valid",
    ),
    (
        r"Slurm internal error|Unspecified error",
        "Slurm or a plug-in that checks jobs (job_submit) refused it without a reason; "
        "slurmctld's log has it",
    ),
)
"""Words of the texts of errors of one kind, and what is wrong."""


def meaning(text: str) -> str | None:
    """What an error of Slurm means; None for a text that is not of its table."""
    return meaning_of(ERRORS, text)

"""Help texts of Open MPI, PRRTE and PMIx, which they print between lines of dashes, by subject.

Sources: open-mpi/ompi, openpmix/prrte, openpmix/openpmix, all help-*.txt (read 2026-11). A text
has several sentences of advice, with words of many kinds of failure; so its subject is tried
first, and only what has none is asked for the kind of its words.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.parts import Part, part

PARTS: Final[tuple[Part, ...]] = (
    part(
        "a component of MPI or PMIx that a parameter asks for is not installed, or a library of "
        "it is missing",
        r"A requested component was not found|unable to be opened\.? .{0,80}component|"
        r"framework could not be found",
    ),
    part(
        "PMIx cannot be initialised: the processes were not started by a launcher with PMIx (such "
        "as srun --mpi=pmix), its versions differ, or one of its components is missing",
        r"PMIx_Init failed|pmix_init failed|No PMIx server|PMIx server'?s? (?:listener|was not)|"
        r"local PMIx server|unique transport key from PMIX|stale rendezvous file",
    ),
    part(
        "a call of CUDA failed within MPI: the GPU, its driver or the memory that processes share "
        "on a node (CUDA IPC)",
        r"\bThe call to cu\w+|\bcu(?:Ipc|Mem|Event|Stream|Ctx)\w+|cuda (?:library|support)|"
        r"\blibcuda\b",
    ),
    part(
        "the hosts of mpirun are not those of the allocation, or the hostfile is missing or not "
        "valid",
        r"requested hosts? (?:is|are|in)\b|relative host|hostfile|"
        r"not (?:present )?in (?:the|your) (?:current )?allocation|empty hosts|add-host|"
        r"find an allocation|no hosts in the map|find any hosts",
    ),
    part(
        "processes cannot be placed or bound as mpirun's options, the rankfile or the affinity "
        "file ask: more than the node has",
        r"rankfile|rank file|failed to map|bind(?:ing)? (?:a new process|memory|policy)|"
        r"\bbind-?to\b|\bmap-?by\b|was left un?bound|process was left|affinity file|"
        r"could not be mapped|bound to (?:CPUs|more)|cpus? per|more (?:processes|resources|cpus)",
    ),
    part(
        "the launcher cannot start its daemons on the other nodes: ssh or srun, their "
        "installation of MPI or a firewall",
        r"start one or more daemons|daemons? (?:on|to start)|launch agent|usable \"?srun|"
        r"remote daemons|lsb_launch|process starter",
    ),
    part(
        "the program cannot be started on a node: it does not exist there, is not executable, or "
        "its folder cannot be used",
        r"execve\b|unable to launch the specified application|could not execute|"
        r"execut(?:e|able) in your PATH|asked to preload",
    ),
    part(
        "a folder or file for temporary data (session directory, shared memory) cannot be made or "
        "used on the node",
        r"session directory|temporary director|mkdir|backing (?:file|store)|backing storage",
    ),
    part(
        "the network: interfaces or ports that MPI was told to use do not exist or connections "
        "fail",
        r"\bTCP\b|\bsockets?\b|network interfaces?|\busNIC\b|port range|route to a peer",
    ),
    part(
        "its network library (libfabric, UCX, PSM) failed",
        r"\bOFI\b|libfabric|\bPSM2?\b|\bUCX\b",
    ),
    part(
        "the program uses MPI wrongly: it initialises or finalises it more than once, or passes "
        "values that are not valid",
        r"MPI_INIT|MPI_FINALIZE|invoked multiple times|MPI_Comm_\w+|MPI_Info|"
        r"mismatched split_type|communicator disjointness|eager limit",
    ),
    part(
        "memory between processes of a node (knem, CMA, XPMEM) cannot be used",
        r"\bknem\b|\bxpmem\b|\bCMA\b|ptrace",
    ),
    part(
        "an error within the library",
        r"internal (?:error|problem|failure)|library call unexpectedly|should never happen|"
        r"un ?recoverable error",
    ),
)

_WARNS: Final = re.compile(
    r"will be ignored|has been ignored|is a warning and|deprecated|job will continue|"
    r"run(?:s|ning)? will continue|Falling back to another|program will continue|"
    r"is being reported on its own|to disable this (?:warning|message)|"
    r"only be reported at most once",
    re.IGNORECASE,
)
"""What a text says after which the job goes on."""

BEGINS: Final = re.compile(
    r"^\s*(?:WARNING: |ERROR: )?(?:The call to cu\w+|A library call unexpectedly|"
    r"A requested (?:host|component)|It looks like \w+_init failed|[^\n]{0,60}\bMPI_[A-Z]|"
    r"(?:At least one|Some) of the requested hosts|A relative host|(?:A|The) hostfile|"
    r"The rankfile|A rank is missing|At least one child job|(?:The|An) accept\(|"
    r"No usable network interfaces|No sockets were able|We were unable to find an allocation)"
)
"""First lines of texts that do not name MPI."""


def wrong(text: str) -> str | None:
    """What is wrong by the subject of a text; None without one."""
    return next((one.wrong for one in PARTS if one.has("", text)), None)


def warns(text: str) -> bool:
    """Whether a text only warns, so that the job goes on."""
    return bool(_WARNS.search(text))

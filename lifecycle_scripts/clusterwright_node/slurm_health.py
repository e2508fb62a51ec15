"""The programs that Slurm runs before and after jobs.

The step `health` installs executables in `FOLDER` on every compute node. slurm.conf has their
absolute paths, because a program that runs before a job must not depend on the controller, and
configless mode does not distribute such files. slurm.conf has the lines only if there is a step of
that name, for which slurm_daemons waits: slurmd drains a node whose prolog is missing.

| File | slurm.conf | Runs |
|---|---|---|
| `prolog` | `Prolog` | as root on each node of a job, before its first step |
| `epilog` | `Epilog` | as root on each node of a job, after its last step |
| `health_check` | `HealthCheckProgram` | as root, every `HEALTH_CHECK_INTERVAL_SECONDS` |
"""

from __future__ import annotations

from clusterwright_node.catalogue import step_names

FOLDER = "/opt/clusterwright/slurm"
PROLOG = FOLDER + "/prolog"
EPILOG = FOLDER + "/epilog"
HEALTH_CHECK = FOLDER + "/health_check"
STEP = "health"

HEALTH_CHECK_INTERVAL_SECONDS = 300
PROLOG_TIMEOUT_SECONDS = 300


def is_there() -> bool:
    """Whether this program has a step that installs the programs."""
    return STEP in step_names()

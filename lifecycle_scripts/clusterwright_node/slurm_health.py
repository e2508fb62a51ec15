"""Where the programs lie that Slurm runs around jobs, and whether this program brings them.

The seam for them: a step called `health` puts executables into `FOLDER` on every compute node.
slurm.conf names them by absolute path, because a program in a job's way must not depend on the
controller, and configless hands out none that is named so. Once there is a step of that name,
slurm.conf has the lines and slurm_daemons waits for the step; before that it has none of them,
because slurmd drains a node whose prolog is missing.

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

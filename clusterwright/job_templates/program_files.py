"""Texts of the programs that are a part of a job's file, and lines that write them on the node."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from clusterwright.cluster_spec import repository_root
from clusterwright.job_templates import slurm
from clusterwright.job_templates.template import Context, RefusedError

CHECKPOINT_MODULES: Final = ("checkpoint_cleanup.py", "stopping.py")
"""Modules that lie beside the programs that read checkpoints."""
PYTHON_FOUND: Final = (
    "command -v python3 >/dev/null ||\n"
    '  fail "$EXIT_ENVIRONMENT" "$(hostname) has no python3, which this job needs"'
)
"""Programs that need the standard library only run with the Python of the node."""


def program(name: str) -> str:
    """Return the text of a program of `programs/`."""
    return files("clusterwright.job_templates").joinpath(f"programs/{name}").read_text("utf-8")


def node_module(path: str) -> str:
    """Return the text of a module of the node programs, such as `clusterwright_preload/lustre.py`.

    Raises
    ------
    RefusedError
        The installation has no `lifecycle_scripts`: it is not a checkout.
    """
    root = repository_root.root()
    file = root / repository_root.SCRIPTS / path if root is not None else None
    if file is None or not file.is_file():
        raise RefusedError(
            f"{repository_root.SCRIPTS}/{path}, a part of this job, is not in this installation",
            "render it in a checkout of Clusterwright",
        )
    return file.read_text("utf-8")


def results_folder(context: Context) -> str:
    """Return lines that create RUN_PATH, a folder of this submission on the shared file system.

    Raises RefusedError without a shared file system.
    """
    return (
        f'RUN_PATH="{context.run_path}/$SLURM_JOB_ID"\n'
        'mkdir --parents "$RUN_PATH" ||\n'
        '  fail "$EXIT_ENVIRONMENT" "$RUN_PATH cannot be created"'
    )


def written(texts: dict[str, str]) -> str:
    """Return lines that write programs to RUN_PATH, by file name."""
    return "\n".join(slurm.program_file(name, text) for name, text in texts.items())

"""What the errors of Slurm's programs mean, and why its daemons end."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import parts_slurm
from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.slurm_texts import meaning
from clusterwright.diagnosis.wording import meaning_of


def cause(values: Values) -> str | None:
    """The cause of an error that a program of Slurm prints."""
    text = values.get("reason", "").strip(" .")
    said = meaning(text)
    return f"Slurm: {said}: {text}" if said else None


_OPTIONS: Final = (
    (
        r"mutually exclusive|used without|requires? --|not multiple of|doesn't fall between|"
        r"number of requested tasks differ|did not request any GPU|to ensure --|"
        r"with and without type",
        "options of the job exclude each other, lack another one, or their numbers do not fit",
    ),
    (
        r"",
        "an option of the job is none of Slurm's, or has a value that it does not take",
    ),
)


def options(values: Values) -> str:
    """Why a command of Slurm refused the options of a job before it asked slurmctld."""
    return f"Slurm: {meaning_of(_OPTIONS, values['reason'])}: {values['reason']}"


def launch(values: Values) -> str:
    """Why a node did not start the tasks of a step."""
    text = values.get("reason", "").strip(" .")
    said = meaning(text)
    where = f"the job on {values['on']}" if "on" in values else f"task {values['task']} of the job"
    return f"Slurm could not start {where}: {said + ': ' if said else ''}{text}"


_FATAL: Final = (
    (
        r"has been removed|is (?:no longer|not) supported|\bdefunct\b|\bobsolete\b|deprecated",
        "slurm.conf or another configuration file has a setting that this release of Slurm does "
        "not have",
    ),
    (
        r"Can't find plugin|cannot (?:find|load|create) [^\n]{0,40}(?:plugin|context)|plugin",
        "a plug-in that its configuration names is not installed, or this release of Slurm does "
        "not have it",
    ),
    (
        r"CAP_\w+|lacks? [^\n]{0,30}(?:capabilit|privilege)|Operation not permitted|"
        r"Permission denied|must be run as",
        "it may not do what it must: a permission or a capability of its service is missing",
    ),
    (
        r"(?:jwt|slurm\.key|auth)[^\n]{0,60}(?:No such file|cannot stat|not found)",
        "the key with which it authenticates does not exist on the node",
    ),
)
"""Words of what a daemon says when it ends, and what is wrong."""


def fatal(values: Values) -> str:
    """Why a daemon of Slurm ended."""
    reason, daemon = values["reason"], values.get("daemon") or "a Slurm daemon"
    said = meaning_of(_FATAL, reason)
    if said is not None:
        return f"{daemon} ended: {said}: {reason}"
    said = (parts_slurm.cause(reason) or reason).removeprefix("Slurm: ")
    return f"{daemon} ended: {said}"

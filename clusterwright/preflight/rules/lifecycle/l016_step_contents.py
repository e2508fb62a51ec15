"""Custom steps and changed scripts need no internet and leave generated files alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from clusterwright import files
from clusterwright.cluster_spec import repository_root
from clusterwright.cluster_spec.custom_steps import InvalidStepError, read
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import (
    Context,
    Fail,
    Results,
    Rule,
    Severity,
    Subject,
    Subjects,
)
from clusterwright.preflight.rules.lifecycle import step_contents
from clusterwright.preflight.rules.lifecycle.l013_shellcheck import KNOWN_CLEAN
from clusterwright.preflight.rules.lifecycle.scripts_folder import folders


class Script(NamedTuple):
    """A file that runs on nodes as root, and what it does."""

    name: str
    effects: tuple[step_contents.Effect, ...]


class StepContents(Rule[Script]):
    id = "CW-L016"
    prevents = (
        "nodes that fail or hang at boot because a download has no route, or a Slurm that differs "
        "from the spec after a step wrote its files"
    )
    source = (
        "awslabs/awsome-distributed-ai#186 (downloads at boot), aws/aws-parallelcluster#3777 and "
        "#5511; docs/reference/node-files.md, what is generated"
    )

    def subjects(self, context: Context) -> Subjects[Script]:
        for index, path in enumerate(context.cluster.lifecycle.steps):
            try:
                step = read(path)
            except InvalidStepError:
                continue  # validation refuses it
            effects = tuple(step_contents.of_python(step.text))
            yield ("lifecycle", "steps", index), Script(path, effects)
        yield from _changed_scripts(context)

    def check(self, script: Script, context: Context) -> Results:
        for effect in script.effects:
            severity: Severity = "warning"
            hint = None
            reason = effect.reason
            if effect.kind == step_contents.DOWNLOADS:
                hint = "list the file as an artefact, which nodes get from the cluster's bucket"
                if context.cluster.network.egress == "closed":
                    severity = "error"
                    reason = "the network has no route to the internet"
            elif effect.kind == step_contents.OVERWRITES:
                severity = "error"
                hint = "use a key of the spec, or the site files of Slurm"
            elif effect.kind == step_contents.CHANGES_IN_CHECK:
                severity = "error"
                hint = "move it to apply()"
            yield Fail(
                message=f"{script.name}:{effect.line}: {effect.words}: {reason}",
                where=script.name,
                severity=severity,
                hint=hint,
            )


def _changed_scripts(context: Context) -> Iterator[Subject[Script]]:
    """Shell scripts of the folder that differ from the published ones."""
    here: Path
    for here, folder in folders(context):
        for path in folder.with_suffix(".sh"):
            try:
                content = files.read_bytes(path)
            except OSError:
                continue  # CW-L012 reports it
            if hashlib.sha256(content).hexdigest() in KNOWN_CLEAN:
                continue
            effects = step_contents.of_shell(content.decode(errors="replace"))
            name = f"{repository_root.SCRIPTS}/{path.relative_to(folder.root).as_posix()}"
            yield here, Script(name, tuple(effects))

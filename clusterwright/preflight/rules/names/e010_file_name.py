"""A file in configs/ has the name of its environment."""

from __future__ import annotations

from pathlib import Path

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects

FOLDER = "configs"
"""The folder in which `cdk deploy -c env=NAME` looks for NAME.yaml."""


class FileName(Rule[str]):
    id = "CW-E010"
    prevents = (
        "the deployment of one environment under the name and the approvals of another: workflows "
        "and `cdk deploy -c env=NAME` select the file by its name, the stacks have the name in it"
    )
    source = ".github/workflows/deploy.yml: environments of GitHub and GitLab have the file's name"

    def subjects(self, context: Context) -> Subjects[str]:
        file = Path.cwd() / context.spec.file  # not resolved: the link's name is what is selected
        # A hidden file is a draft of a command, or of an editor; no name selects it.
        if file.parent.name == FOLDER and not file.name.startswith("."):
            yield ("environment",), file.stem

    def check(self, name: str, context: Context) -> Results:
        environment = context.cluster.environment
        if environment == name:
            return
        yield Fail(
            message=f"the file is {FOLDER}/{name}.yaml, but its environment is `{environment}`",
            requested=environment,
            limit=name,
            hint=f"rename the file to {environment}.yaml, or `environment: {name}`",
        )

"""Variables of containers have the names that programs read."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.jobs.environment_names import misspelt
from clusterwright.jobs.manifest_file import Item
from clusterwright.jobs.rule import ManifestRule, Manifests, Results


class ManifestEnvironmentNames(ManifestRule):
    id = "CW-J085"
    severity = "warning"
    prevents = "a setting of a container that no program reads, because its name is misspelt"
    source = "the same names as of CW-J061: clusterwright/jobs/environment_names.json"

    def check(self, manifests: Manifests) -> Results:
        yield from misspelt(_variables(manifests), manifests.file.text, r"\$[({]?")


def _variables(manifests: Manifests) -> Iterator[tuple[str, Item]]:
    """The names of variables of containers."""
    for pod in manifests.pods:
        for container in (*pod.containers, *pod.init_containers):
            env = container.item.get("env")
            for variable in env.members() if env is not None else ():
                at = variable.get("name")
                if at is not None and at.text is not None:
                    yield at.text, at

"""Variables of containers have the names that programs read."""

from __future__ import annotations

from clusterwright.jobs.environment_names import misspelt
from clusterwright.jobs.manifests import variables
from clusterwright.jobs.rule import ManifestRule, Manifests, Results


class ManifestEnvironmentNames(ManifestRule):
    id = "CW-J085"
    severity = "warning"
    prevents = "a setting of a container that no program reads, because its name is misspelt"
    source = "the same names as of CW-J061: clusterwright/jobs/environment_names.json"

    def check(self, manifests: Manifests) -> Results:
        named = ((name.text, name) for name, _ in variables(manifests) if name.text is not None)
        yield from misspelt(named, manifests.file.text, r"\$[({]?")

"""Variables of containers have the names that programs read."""

from __future__ import annotations

import re

from clusterwright.jobs.environment_names import meant
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results


class ManifestEnvironmentNames(ManifestRule):
    id = "CW-J085"
    severity = "warning"
    prevents = "a setting of a container that no program reads, because its name is misspelt"
    source = "the same names as of CW-J061: clusterwright/jobs/environment_names.json"

    def check(self, manifests: Manifests) -> Results:
        seen = set()
        for pod in manifests.pods:
            for container in (*pod.containers, *pod.init_containers):
                env = container.item.get("env")
                for variable in env.members() if env is not None else ():
                    at = variable.get("name")
                    name = at.text if at is not None else None
                    if at is None or name is None or name in seen:
                        continue
                    seen.add(name)
                    read = re.search(r"\$[({]?" + re.escape(name) + r"\b", manifests.file.text)
                    other = None if read else meant(name)
                    if other is not None:
                        yield Fail(
                            message=f"no program is known to read {name}",
                            at=at,
                            hint=f"did you mean `{other}`?",
                        )

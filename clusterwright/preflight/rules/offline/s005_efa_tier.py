"""EFA is asked of file systems that can have it."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.offline import LustreRule
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.spec.models.storage import Lustre


class EfaTier(LustreRule):
    id = "CW-S005"
    title = "EFA Lustre is PERSISTENT_2"
    prevents = (
        "CreateFileSystem fails with BadRequest: EFA needs PERSISTENT_2 with metadata settings"
    )
    source = "AWS documentation, EFA-enabled FSx for Lustre file systems"

    def check(
        self, subject: Subject[Lustre], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        fs = subject.value
        del context
        if fs.efa and fs.deployment_type != "PERSISTENT_2":
            yield Fail(
                message=f"EFA needs PERSISTENT_2, this is {fs.deployment_type}",
                path=(*subject.path, "efa"),
                requested=fs.deployment_type,
                hint="deployment_type: PERSISTENT_2, or efa: false",
            )


RULE = EfaTier()

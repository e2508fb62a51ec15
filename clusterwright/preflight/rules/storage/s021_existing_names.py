"""The name of a file system that exists is that of its id and of this region."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class ExistingNames(Rule[tuple[str, str | None]]):
    id = "CW-S021"
    title = "Names of file systems that exist are of their id and of the region"
    severity = "error"
    scope = "offline"
    prevents = "nodes that mount another file system than the one that is meant, or none"
    source = "FSx DescribeFileSystems, DNSName: <id>.fsx.<region>.amazonaws.com"

    def subjects(self, context: Context) -> Iterable[Subject[tuple[str, str | None]]]:
        storage = context.cluster.storage
        for index, fs in enumerate(storage.lustre):
            if fs.existing is not None:
                path = ("storage", "lustre", index, "existing", "dns_name")
                yield Subject(path, (fs.existing.dns_name, fs.existing.id))
        home = storage.home
        if home is not None and home.existing is not None:
            yield Subject(
                ("storage", "home", "existing", "dns_name"), (home.existing.dns_name, None)
            )

    def check(
        self, subject: Subject[tuple[str, str | None]], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        name, identity = subject.value
        first, _, rest = name.partition(".")
        if identity is not None and first != identity:
            yield Fail(
                message=f"{name} is the name of {first}, not of {identity}",
                requested=name,
                limit=identity,
            )
        parts = rest.split(".")
        if parts[0] == "fsx" and len(parts) > 1 and parts[1] != context.region:
            yield Fail(
                message=f"{name} is in {parts[1]}, the cluster in {context.region}",
                requested=context.region,
                limit=parts[1],
            )


RULE = ExistingNames()

"""The name of a file system that exists is that of its id and of this region."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class ExistingNames(Rule[tuple[str, str | None]]):
    id = "CW-S021"
    title = "Names of file systems that exist are of their id and of the region"
    scope = "offline"
    prevents = "nodes that mount another file system than the one that is meant, or none"
    source = "FSx DescribeFileSystems, DNSName: <id>.fsx.<region>.amazonaws.com"

    def subjects(self, context: Context) -> Subjects[tuple[str, str | None]]:
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

    def check(self, dns_name_and_id: tuple[str, str | None], context: Context) -> Results:
        name, identity = dns_name_and_id
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

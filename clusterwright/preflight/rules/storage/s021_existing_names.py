"""DNS names of existing file systems match their id and the region."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class ExistingNames(Rule[tuple[str, str | None]]):
    id = "CW-S021"
    prevents = "nodes that mount the wrong file system, or none"
    source = "FSx DescribeFileSystems, DNSName: <id>.fsx.<region>.amazonaws.com"

    def subjects(self, context: Context) -> Subjects[tuple[str, str | None]]:
        storage = context.cluster.storage
        for index, fs in enumerate(storage.lustre):
            if fs.existing is not None:
                path = ("storage", "lustre", index, "existing", "dns_name")
                yield path, (fs.existing.dns_name, fs.existing.id)
        home = storage.home
        if home is not None and home.existing is not None:
            yield (("storage", "home", "existing", "dns_name"), (home.existing.dns_name, None))

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
                message=f"{name} is in {parts[1]}, the cluster is in {context.region}",
                requested=context.region,
                limit=parts[1],
            )

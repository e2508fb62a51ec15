"""Prefixes from which data is imported have objects."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Repository
from clusterwright.preflight.facts.references import HasObjects
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.data_repository_buckets import prefix_of


class RepositoryPrefixes(Rule[Repository]):
    id = "CW-S039"
    severity = "warning"
    prevents = "a data set that is an empty folder when the job starts: the prefix is misspelt"
    source = (
        "FSx for Lustre user guide, Linking your file system to an S3 bucket: an association is "
        "created whether or not objects have the prefix; S3 ListObjectsV2"
    )

    def subjects(self, context: Context) -> Subjects[Repository]:
        for index, fs in enumerate(context.cluster.storage.lustre):
            for number, repository in enumerate(fs.repositories):
                if _reads(repository):
                    path = ("storage", "lustre", index, "repositories", number, "s3")
                    yield path, repository

    def needs(self, repository: Repository) -> Facts:
        return (_fact(repository),)

    def check(self, repository: Repository, facts: FactValues) -> Results:
        if facts[_fact(repository)] is False:  # without a bucket: CW-S010
            yield Fail(
                message=f"no object is below {repository.s3}: nodes see an empty folder",
                requested=repository.s3,
                where=repository.s3,
                hint=f"`aws s3 ls s3://{_bucket(repository)}/` lists what is there; prefixes are "
                "case-sensitive",
            )


def _reads(repository: Repository) -> bool:
    """Whether data is expected in an existing bucket: new objects are imported, or preloaded."""
    return not repository.create and bool(repository.import_events or repository.preload)


def _bucket(repository: Repository) -> str:
    return repository.s3.removeprefix("s3://").partition("/")[0]


def _fact(repository: Repository) -> HasObjects:
    prefix = prefix_of(repository)
    return HasObjects(_bucket(repository), f"{prefix}/" if prefix else "")

"""Existing repositories for images exist."""

from __future__ import annotations

from clusterwright.preflight.facts.references import ImageRepository
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class ImageRepositoryExists(Rule[str]):
    id = "CW-I032"
    prevents = "jobs that fail at their first pull: the nodes may pull from no other repository"
    source = "ECR DescribeRepositories"

    def subjects(self, context: Context) -> Subjects[str]:
        for index, repository in enumerate(context.cluster.storage.image_repositories):
            if not repository.create:
                yield ("storage", "image_repositories", index, "name"), repository.name

    def needs(self, name: str) -> Facts:
        return (ImageRepository(name),)

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        if facts[ImageRepository(name)] is None:
            yield Fail(
                message=f"the account has no repository {name} in {context.region}",
                requested=name,
                where=context.region,
                hint="create: true creates it; otherwise correct the name",
            )

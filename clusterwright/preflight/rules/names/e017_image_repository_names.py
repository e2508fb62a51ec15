"""The names of new repositories for images are available."""

from __future__ import annotations

from clusterwright.platforms.derived_names import built_image_repositories
from clusterwright.preflight.facts.references import ImageRepository
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    NameConflictRule,
    name_conflict,
    own_stacks,
)


class ImageRepositoryNames(NameConflictRule):
    id = "CW-E017"
    prevents = "CreateRepository fails with RepositoryAlreadyExistsException"
    source = "ECR CreateRepository: names are unique in the account's registry of a region"

    def subjects(self, context: Context) -> Subjects[str]:
        for name, path in built_image_repositories(context.cluster).items():
            yield path, name

    def needs(self, name: str, context: Context) -> Facts:
        return (ImageRepository(name), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        stacks = facts[own_stacks(context)]
        if facts[ImageRepository(name)] is None or stacks.has("AWS::ECR::Repository", name):
            return
        hint = "create: false uses the existing repository; otherwise use another name"
        yield name_conflict("a repository", name, context, hint=hint)

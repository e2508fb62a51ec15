"""Nodes may pull the images of the spec."""

from __future__ import annotations

from clusterwright.platforms.image_repositories import registry, unlisted_repository
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.images.container_images import container_images


class ImagePulls(Rule[str]):
    id = "CW-I029"
    prevents = "pods in ImagePullBackOff: ecr:BatchGetImage is denied to the nodes"
    source = "policies of the nodes' roles (docs/explanations/what-is-built.md)"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.cluster.storage.image_repositories:
            for path, image in container_images(context.cluster):
                if image.startswith(f"{registry(context.cluster)}/"):
                    yield path, image

    def check(self, image: str, context: Context) -> Results:
        name = unlisted_repository(context.cluster, image)
        if name is None:
            return
        known = ", ".join(each.name for each in context.cluster.storage.image_repositories)
        yield Fail(
            message=f"{name} is not in storage.image_repositories, and nodes pull images of this "
            "account from those repositories only",
            requested=name,
            limit=known,
            hint=f"add `- {{name: {name}}}`, or use one of {known}",
        )

"""Images in ECR. How much they store depends on use; pulls in the region are free.

Source: https://aws.amazon.com/ecr/pricing/, which could not be read for the price of storage.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder
from clusterwright.platforms.derived_names import built_image_repositories

STORAGE = Item("ecr", "storage", "GB-month")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Storage of all created repositories together; existing ones are their owners'."""
    names = ", ".join(built_image_repositories(builder.cluster))
    if names:
        path = ("storage", "image_repositories")
        yield builder.used("images", f"ECR storage: {names}", STORAGE, path=path)

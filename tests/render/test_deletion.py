"""A deletion plan as text and Markdown."""

from __future__ import annotations

from decimal import Decimal

from clusterwright.render.deletion import KINDS, deletion_markdown, deletion_text
from clusterwright.review.deletion_results import (
    DeletionBlocker,
    DeletionPlan,
    DeletionStep,
    LostData,
    Remaining,
)
from clusterwright.review.results import Unknown

PLAN = DeletionPlan(
    file="configs/prod.yaml",
    environment="prod",
    platform="eks",
    protection="retain",
    stacks=("prod-cluster", "prod-network"),
    steps=(DeletionStep(command="cdk destroy -c env=prod --all", why="deletes 2 stacks"),),
    blockers=(DeletionBlocker(where="prod-network", message="it stays", hint="leave it out"),),
    lost=(LostData(where="prod-x/F", type="AWS::FSx::FileSystem", what="files"),),
    remaining=(
        Remaining(
            kind="retained",
            what="AWS::FSx::FileSystem",
            name="prod-storage/F",
            id="fs-1",
            why="retained",
            blocks="prod-network",
            monthly_usd=Decimal(120),
            delete="aws fsx delete-file-system --file-system-id fs-1",
        ),
        Remaining(kind="service", what="log | groups", name="/aws/x", why="Lambda", certain=False),
    ),
    unknown=(Unknown("the bucket b", "denied", None),),
)


def test_text_has_every_part() -> None:
    text = deletion_text(PLAN)
    assert text.splitlines()[:2] == [
        "deletion of prod (configs/prod.yaml)",
        "`cdk destroy --all` would stop",
    ]
    for words in (
        "1 resources lost with what they hold, 1 retained; afterwards 120.00 USD a month, plus",
        "it stays",
        "1. cdk destroy -c env=prod --all",
        "prod-x/F (AWS::FSx::FileSystem): files",
        f"Remains: {KINDS['retained']}",
        "prod-storage/F (fs-1): AWS::FSx::FileSystem, 120.00 USD a month",
        "until then prod-network cannot be deleted",
        "delete: aws fsx delete-file-system --file-system-id fs-1",
        "if it exists: Lambda",
        "the bucket b: denied",
    ):
        assert words in " ".join(text.split()), words


def test_markdown_escapes_names() -> None:
    lines = deletion_markdown(PLAN).splitlines()
    assert lines[0].startswith("### Deletion of prod")
    assert any("log \\| groups" in line for line in lines)
    assert "**Lost for ever**" in lines


def test_plan_without_obstacles() -> None:
    plan = DeletionPlan(file="f", environment="e", platform="eks", protection="destroy")
    assert "no obstacle" in deletion_text(plan)
    assert "What stops" not in deletion_markdown(plan)

"""The JSON output of `clusterwright destroy-plan`."""

from __future__ import annotations

from typing import Literal

from clusterwright.json_output.base import Count, Envelope, Output, Usd, field, json_text
from clusterwright.review.deletion_results import (
    DeletionBlocker,
    DeletionPlan,
    DeletionStep,
    Found,
    LostData,
)
from clusterwright.review.results import Unknown


class RemainingOutput(Output):
    """What exists after the deletion of every stack."""

    kind: Literal["retained", "snapshot", "service", "existing", "shared", "capacity"] = field(
        "Why it remains: a policy of the template, a snapshot, a service that created it, the "
        "spec that names it, the account that shares it, or capacity that is paid for."
    )
    what: str = field("Its CloudFormation type, or what it is.")
    name: str = field("`stack/logical id`, a name, or a pattern with `*`.")
    id: str | None = field("Its id; null where the account was not read.")
    why: str = field("Why it remains, in a sentence.")
    certain: bool = field("It exists in any case; false where only if it was used.")
    blocks: str | None = field("The stack that cannot be deleted while it exists.")
    free: bool = field("It costs nothing.")
    monthly_usd: Usd | None = field("Its cost per month of 730 hours; null where unknown.")
    delete: str | None = field("The command that deletes it.")
    found: Found = field("Where the entry comes from.")
    source: str | None = field("Who documents it.")


class DestroyPlanOutput(Envelope):
    """What the deletion of a cluster does."""

    command: Literal["destroy-plan"] = "destroy-plan"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    platform: str = field("Its platform.")
    protection: str = field("`protection` of the spec.")
    read_account: bool = field("Whether the account was read; else the templates alone.")
    stacks: tuple[str, ...] = field("Every stack, in the order of deletion.")
    steps: tuple[DeletionStep, ...] = field("The commands to run, in order.")
    blockers: tuple[DeletionBlocker, ...] = field("Why `cdk destroy --all` would stop.")
    lost: tuple[LostData, ...] = field("What cannot be created again.")
    remaining: tuple[RemainingOutput, ...] = field("What exists afterwards.")
    monthly_usd: Usd = field("Known cost of what remains, per month of 730 hours.")
    unknown_costs: Count = field("Entries of `remaining` with an unknown cost.")
    unknown: tuple[Unknown, ...] = field("What could not be read.")


OUTPUTS = (DestroyPlanOutput,)


def destroy_plan_json(plan: DeletionPlan) -> str:
    """A deletion plan as JSON."""
    return json_text(DestroyPlanOutput, plan)

"""Change sets merged with the changes from the templates."""

from __future__ import annotations

import pytest

from clusterwright.review.change_set import (
    AwsChange,
    ChangeSetAnswer,
    rejections,
    unanswered,
    with_aws,
)
from clusterwright.review.results import Effect, ResourceChange, Unknown
from tests.review.templates import analysis, app, resource, stack

FS = "AWS::FSx::FileSystem"
FILES = resource(FS, FileSystemType="LUSTRE", StorageCapacity=1200)
KNOWN = ResourceChange(
    stack="a",
    logical_id="Fs",
    type=FS,
    effect="update",
    action="update",
    reasons=("a tag",),
    properties=("Tags",),
)


@pytest.mark.parametrize(
    ("action", "replacement", "effect"),
    [
        ("Add", None, "none"),
        ("Import", None, "none"),
        ("Remove", None, "delete"),
        ("Dynamic", None, "replace"),
        ("Modify", "True", "replace"),
        ("Modify", "Conditional", "replace"),
        ("Modify", "False", "update"),
        ("Modify", None, "update"),
    ],
)
def test_effects(action: str, replacement: str | None, effect: Effect) -> None:
    assert AwsChange("Fs", FS, action, replacement).effect == effect


def merged(
    *changes: AwsChange, known: tuple[ResourceChange, ...] = (), **policies: str
) -> tuple[ResourceChange, ...]:
    body = app(a=stack({"Fs": {**FILES, **policies}}))
    return with_aws(known, [ChangeSetAnswer("a", changes)], analysis(body, body))


def test_removed_protection_stays_in_a_change_set() -> None:
    lost = ResourceChange(
        stack="a", logical_id="Fs", type=FS, effect="none", action="update",
        holds="files", outcome="deleting its stack then deletes: files", protection_loss=True,
    )  # fmt: skip
    (change,) = merged(AwsChange("Fs", FS, "Modify", "False", ("Tags",)), known=(lost,))
    assert (change.effect, change.protection_loss, change.holds) == ("update", True, "files")
    (change,) = merged(AwsChange("Fs", FS, "Modify", "True", ("Tags",)), known=(lost,))
    assert (change.effect, change.protection_loss, change.data_loss) == ("replace", False, True)


def test_the_worse_effect_is_shown() -> None:
    (change,) = merged(AwsChange("Fs", FS, "Modify", "True", ("StorageType",)), known=(KNOWN,))
    assert (change.effect, change.action, change.certainty) == ("replace", "replace", "aws")
    assert change.reasons == ("change set: Modify, replacement True (StorageType)", "a tag")
    assert change.properties == ("StorageType", "Tags")
    assert (change.data_loss, change.outcome) == (True, "lost: files")


@pytest.mark.parametrize(
    "milder", [AwsChange("Fs", FS, "Modify", "False"), AwsChange("Fs", FS, "Add")]
)
def test_a_milder_effect_changes_nothing(milder: AwsChange) -> None:
    assert merged(milder, known=(KNOWN,)) == (KNOWN,)


@pytest.mark.parametrize(
    ("policies", "outcome"),
    [
        ({"DeletionPolicy": "Retain"}, "it is retained outside the stack"),
        ({"DeletionPolicy": "Snapshot"}, "a snapshot is retained"),
    ],
)
def test_a_policy_keeps_the_data(policies: dict[str, str], outcome: str) -> None:
    (change,) = merged(AwsChange("Fs", FS, "Remove"), **policies)
    assert (change.effect, change.data_loss, change.outcome) == ("delete", False, outcome)


def test_the_recorded_spec_is_no_change() -> None:
    assert merged(AwsChange("Fs", FS, "Modify", "False", ("Metadata",))) == ()
    (change,) = merged(AwsChange("Fs", FS, "Modify", "False", ("Metadata", "Tags")))
    assert change.effect == "update"


def test_jobs_end_with_the_cluster() -> None:
    (change,) = merged(AwsChange("Cluster", "AWS::SageMaker::Cluster", "Remove"))
    assert change.job_loss


def test_stacks_without_a_change_set() -> None:
    answers = [
        ChangeSetAnswer("a"),
        ChangeSetAnswer("b", refusal="it was denied", hint="allow it"),
        ChangeSetAnswer("c", rejected="Transform failed"),
    ]
    assert unanswered(answers) == (Unknown("the change set of b", "it was denied", "allow it"),)
    (blocker,) = rejections(answers)
    assert (blocker.kind, blocker.where) == ("refused", "c")
    assert blocker.message == "c: CloudFormation refuses the change set: Transform failed"

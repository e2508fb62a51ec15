"""The stacks of one account and region."""

from __future__ import annotations

import datetime as dt
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.cloudformation.errors import (
    AlreadyExists,
    ChangeSetNotFound,
    StackNotFound,
    ValidationError,
)
from clusterwright_localaws.cloudformation.state import ChangeSet, Output
from clusterwright_localaws.cloudformation.store import (
    DELETED_DAYS,
    MOST_DELETED,
    ExportMissing,
    Store,
)
from clusterwright_localaws.core.runtime import running
from clusterwright_localaws.worlds.model import World

ACCOUNT = "111122223333"


@pytest.fixture
def store() -> Store:
    return Store(ACCOUNT, "us-gov-west-1")


def export(name: str, value: str = "v") -> Output:
    return Output("O", value, None, name)


def test_a_stack_has_an_arn_of_its_partition(store: Store) -> None:
    stack = store.add("s")
    prefix = f"arn:aws-us-gov:cloudformation:us-gov-west-1:{ACCOUNT}:stack/s/"
    assert stack.stack_id.startswith(prefix)
    assert store.find("s") is store.find(stack.stack_id) is store.by_id(stack.stack_id) is stack


@pytest.mark.parametrize("name", ["1s", "a_b", "", "a" * 129])
def test_names_that_a_stack_cannot_have(store: Store, name: str) -> None:
    with pytest.raises(ValidationError, match="failed to satisfy constraint"):
        store.add(name)


def test_a_name_is_unique_among_existing_stacks(store: Store) -> None:
    first = store.add("s")
    with pytest.raises(AlreadyExists, match=r"Stack \[s\] already exists"):
        store.add("s")
    first.status = "DELETE_COMPLETE"
    second = store.add("s")
    assert store.stacks() == [second]
    assert set(map(id, store.stacks(deleted=True))) == {id(first), id(second)}
    assert store.find("s") is second
    assert store.find(first.stack_id) is first


def test_newest_first(store: Store) -> None:
    old, new = store.add("old"), store.add("new")
    old.created = new.created - dt.timedelta(seconds=1)
    assert [stack.name for stack in store.stacks()] == ["new", "old"]


def test_a_missing_stack_is_refused_in_the_words_of_the_operation(store: Store) -> None:
    with pytest.raises(StackNotFound, match="Stack with id s does not exist"):
        store.find("s")
    with pytest.raises(StackNotFound, match=r"Stack \[s\] does not exist"):
        store.find("s", message="Stack [{}] does not exist")
    assert store.by_id("s") is None


def delete(store: Store, name: str) -> str:
    stack = store.add(name)
    store.drift_detections[name] = {"StackId": stack.stack_id}
    stack.enter("DELETE_COMPLETE")
    store.deleted(stack)
    return stack.stack_id


def test_a_deleted_stack_is_found_for_90_days_of_the_services(store: Store) -> None:
    with running(World()) as local:
        gone = delete(store, "gone")
        kept = store.add("kept")
        local.clock.advance(dt.timedelta(days=DELETED_DAYS).total_seconds() - 60)
        assert store.by_id(gone) is not None
        local.clock.advance(120)
        assert store.by_id(gone) is None
        with pytest.raises(StackNotFound):
            store.find(gone)
        assert store.stacks(deleted=True) == [kept]
        assert not store.drift_detections


def test_the_last_deleted_stacks_are_held_and_no_more(store: Store) -> None:
    kept = store.add("kept")
    ids = [delete(store, f"s{number}") for number in range(MOST_DELETED + 3)]
    held = {one.stack_id for one in store.stacks(deleted=True)}
    assert held == {kept.stack_id, *ids[3:]}
    assert len(store.drift_detections) == MOST_DELETED
    delete(store, "one-more")
    assert store.by_id(ids[3]) is None
    assert store.by_id(ids[4]) is not None


class TestChangeSets:
    def change_set(self, store: Store) -> ChangeSet:
        stack = store.add("s")
        found = ChangeSet(
            name="c",
            change_set_id="arn:aws:cloudformation:r:a:changeSet/c/1",
            stack_id=stack.stack_id,
            kind="UPDATE",
            revision=None,
            created=stack.created,
        )
        stack.change_sets["c"] = found
        return found

    def test_by_name_and_by_id(self, store: Store) -> None:
        found = self.change_set(store)
        assert store.change_set("s", "c")[1] is found
        assert store.change_set(None, found.change_set_id)[1] is found

    @pytest.mark.parametrize(
        ("stack", "name", "error", "message"),
        [
            ("s", "d", ChangeSetNotFound, r"ChangeSet \[d\] does not exist"),
            (None, "arn:aws:x", ChangeSetNotFound, r"ChangeSet \[arn:aws:x\] does not exist"),
            (None, "c", ValidationError, "StackName must be specified"),
            ("t", "c", StackNotFound, r"Stack \[t\] does not exist"),
        ],
    )
    def test_what_is_not_there(
        self, store: Store, stack: Any, name: str, error: type[Exception], message: str
    ) -> None:
        self.change_set(store)
        with pytest.raises(error, match=message):
            store.change_set(stack, name)


class TestExports:
    def test_values_by_name(self, store: Store) -> None:
        exporter = store.add("a")
        exporter.outputs = [export("one"), Output("P", "private", None, None)]
        assert list(store.exports()) == [("one", "v", exporter)]
        assert store.imported("one") == "v"
        assert store.exporter("one") is exporter
        assert store.exporter("two") is None
        with pytest.raises(ExportMissing, match="No export named two found"):
            store.imported("two")

    def test_a_deleted_stack_exports_nothing(self, store: Store) -> None:
        exporter = store.add("a")
        exporter.outputs = [export("one")]
        exporter.status = "DELETE_COMPLETE"
        assert list(store.exports()) == []

    def test_importers_by_name(self, store: Store) -> None:
        store.add("a").imports = frozenset({"one"})
        store.add("b")
        assert list(store.importers("one")) == ["a"]


class TestOperations:
    def operation(self, store: Store) -> Any:
        return Mock(stack=store.add("s"))

    def test_one_at_a_time(self, store: Store) -> None:
        operation = self.operation(store)
        store.begin(operation, "CREATE_STACK")
        assert store.running(operation.stack) is operation
        assert [kind for _, kind in operation.stack.operations] == ["CREATE_STACK"]
        store.ended(Mock(stack=operation.stack))
        assert store.running(operation.stack) is operation
        store.ended(operation)
        assert store.running(operation.stack) is None

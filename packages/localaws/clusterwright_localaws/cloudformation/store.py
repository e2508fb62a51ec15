"""Every stack of one account and region, with their exports."""

from __future__ import annotations

import datetime as dt
import re
import threading
import uuid
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from clusterwright_localaws.cloudformation.errors import (
    AlreadyExists,
    ChangeSetNotFound,
    ExportMissing,
    LimitExceeded,
    StackNotFound,
    ValidationError,
)
from clusterwright_localaws.cloudformation.state import ChangeSet, Stack, StackOperation
from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.runtime import Runtime, runtime
from clusterwright_localaws.services.ec2.zones import partition_of

DELETED_DAYS = 90
"""How many days a deleted stack is found.
https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListStacks.html
"""
MOST_DELETED = 200
"""How many deleted stacks of an account and region are held, the last ones; AWS holds all."""

_STACKS = ("cloudformation", "L-0485CB21")
_STACK_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")


@dataclass
class Settings:
    """Delays and timeouts of the local CloudFormation.

    Parameters
    ----------
    settle_s:
        How long a request that starts an operation waits for its end before it answers, so
        that a client that polls every few seconds sees the end at its first look.
    poll_interval_s:
        The longest pause between two looks at a resource that becomes ready.
    """

    settle_s: float = 5.0
    poll_interval_s: float = 0.05


settings = Settings()
"""For the whole process."""


class Store:
    """The stacks of one account and region."""

    def __init__(self, account: str, region: str) -> None:
        self.account = account
        self.region = region
        self.partition = partition_of(region)
        self.settings = settings
        self.lock = threading.RLock()
        self._stacks: dict[str, Stack] = {}
        # Time of the services and id of each deleted stack, in the order of the deletions.
        self._deleted: deque[tuple[dt.datetime, str]] = deque()
        self._operations: dict[str, StackOperation] = {}
        self.drift_detections: dict[str, dict[str, object]] = {}

    def stacks(self, *, deleted: bool = False) -> list[Stack]:
        """Return the stacks, newest first; deleted ones only on request."""
        with self.lock:
            self._forget()
            found = [one for one in self._stacks.values() if deleted or not one.gone]
        return sorted(found, key=lambda one: one.created, reverse=True)

    def find(self, name: str, *, message: str = "Stack with id {} does not exist") -> Stack:
        """Return a stack by its name or id. A deleted stack is found by its id only.

        Raises
        ------
        StackNotFound
            There is none; the error has `message`.
        """
        with self.lock:
            found = self.by_id(name)
            if found is None:
                found = next((one for one in self.stacks() if one.name == name), None)
        if found is None:
            raise StackNotFound(message.format(name))
        return found

    def by_id(self, stack_id: str) -> Stack | None:
        """Return the stack with this id, deleted or not, or None."""
        with self.lock:
            self._forget()
            return self._stacks.get(stack_id)

    def add_or_take(self, name: str) -> Stack:
        """Return the stack of a name that is in review and has no resources yet, or a new one.

        Raises
        ------
        ValidationError, AlreadyExists
            As `add`.
        """
        with self.lock:
            for one in self.stacks():
                if one.name == name and one.status == "REVIEW_IN_PROGRESS":
                    return one
            return self.add(name)

    def add(self, name: str) -> Stack:
        """Make a new stack.

        Raises
        ------
        ValidationError
            The name is none that a stack can have.
        AlreadyExists
            A stack of that name exists.
        LimitExceeded
            The account has as many stacks as its quota allows.
        """
        if not _STACK_NAME.fullmatch(name):
            raise ValidationError(
                f"1 validation error detected: Value '{name}' at 'stackName' failed to satisfy "
                "constraint: Member must satisfy regular expression pattern: "
                "[a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*"
            )
        with self.lock:
            if any(one.name == name for one in self.stacks()):
                raise AlreadyExists(f"Stack [{name}] already exists")
            self._require_quota()
            stack_id = (
                f"arn:{self.partition}:cloudformation:{self.region}:{self.account}:"
                f"stack/{name}/{uuid.uuid4()}"
            )
            stack = Stack(
                account=self.account,
                region=self.region,
                partition=self.partition,
                name=name,
                stack_id=stack_id,
                created=dt.datetime.now(dt.UTC),
            )
            self._stacks[stack_id] = stack
            return stack

    def _require_quota(self) -> None:
        # The text is quoted in aws-amplify/amplify-cli #2467 and #5221.
        # Not by `quotas.in_use`: it takes the runtime's lock, and others take that one first.
        found = quotas.quota(runtime(), self.region, *_STACKS)
        used = len(self.stacks()) + runtime().world.usage.get("/".join(_STACKS), 0.0)
        if found is not None and found.value is not None and used + 1 > found.value:
            raise LimitExceeded("Limit for stack has been exceeded")

    def discard(self, stack: Stack) -> None:
        """Forget a new stack whose request is refused after all."""
        with self.lock:
            self._stacks.pop(stack.stack_id, None)

    def change_set(self, stack_name: str | None, name: str) -> tuple[Stack, ChangeSet]:
        """Return a change set by its id, or by its name and its stack's.

        Raises
        ------
        ChangeSetNotFound, ValidationError
            There is none, or a name comes without a stack.
        """
        if name.startswith("arn:"):
            with self.lock:
                self._forget()
                for stack in self._stacks.values():
                    for one in stack.change_sets.values():
                        if one.change_set_id == name:
                            return stack, one
            raise ChangeSetNotFound(f"ChangeSet [{name}] does not exist")
        if not stack_name:
            raise ValidationError(
                "StackName must be specified if ChangeSetName is not specified as an ARN."
            )
        stack = self.find(stack_name, message="Stack [{}] does not exist")
        found = stack.change_sets.get(name)
        if found is None:
            raise ChangeSetNotFound(f"ChangeSet [{name}] does not exist")
        return stack, found

    def deleted(self, stack: Stack) -> None:
        """Note that a stack was deleted: it is found for `DELETED_DAYS` days.

        It is forgotten before if `MOST_DELETED` stacks are deleted after it.
        """
        with self.lock:
            self._deleted.append((_now(), stack.stack_id))
            self._forget()

    def _forget(self) -> None:
        """Remove the deleted stacks that are no longer found, and what drift detection said."""
        oldest = _now() - dt.timedelta(days=DELETED_DAYS)
        gone = set()
        while self._deleted and (
            len(self._deleted) > MOST_DELETED or self._deleted[0][0] < oldest
        ):
            gone.add(self._deleted.popleft()[1])
        if not gone:
            return
        for stack_id in gone:
            del self._stacks[stack_id]
        self.drift_detections = {
            number: one
            for number, one in self.drift_detections.items()
            if one["StackId"] not in gone
        }

    # --- exports -----------------------------------------------------------------------------

    def exports(self) -> Iterator[tuple[str, str, Stack]]:
        """Yield every export: its name, its value, and the stack that has it."""
        for stack in self.stacks():
            for name, value in stack.exports().items():
                yield name, value, stack

    def exporter(self, name: str) -> Stack | None:
        """Return the stack that exports `name`."""
        return next((stack for export, _, stack in self.exports() if export == name), None)

    def imported(self, name: str) -> str:
        """Return an export's value.

        Raises
        ------
        ExportMissing
            No stack exports it.
        """
        for export, value, _ in self.exports():
            if export == name:
                return value
        raise ExportMissing(f"No export named {name} found")

    def importers(self, name: str) -> list[str]:
        """Return the names of the stacks that import an export."""
        return sorted(stack.name for stack in self.stacks() if name in stack.imports)

    # --- operations --------------------------------------------------------------------------

    def begin(self, operation: StackOperation, kind: str) -> None:
        """Note that an operation is about to run on its stack.

        Raises
        ------
        ValidationError
            Another one runs.
        """
        with self.lock:
            stack = operation.stack
            if stack.stack_id in self._operations:
                raise ValidationError(
                    f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated."
                )
            stack.operations.append((str(uuid.uuid4()), kind))
            self._operations[stack.stack_id] = operation

    def running(self, stack: Stack) -> StackOperation | None:
        """Return the operation that runs on a stack."""
        with self.lock:
            return self._operations.get(stack.stack_id)

    def ended(self, operation: StackOperation) -> None:
        """Note that an operation has ended."""
        with self.lock:
            if self._operations.get(operation.stack.stack_id) is operation:
                del self._operations[operation.stack.stack_id]


def store_at(account: str, region: str) -> Store:
    """Return the stacks of an account and region of the local AWS that runs in this process."""
    from clusterwright_localaws.core.runtime import runtime

    return runtime().store("cloudformation", account, region, lambda: Store(account, region))


def _now() -> dt.datetime:
    from clusterwright_localaws.core.runtime import runtime

    return runtime().clock.now()


@quotas.counts_usage(*_STACKS)
def _stacks(current: Runtime, account: str, region: str) -> float:
    return float(
        len(
            current.store(
                "cloudformation", account, region, lambda: Store(account, region)
            ).stacks()
        )
    )

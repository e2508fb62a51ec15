"""Outputs of a stack, and the rules of exports that other stacks import.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-exports.html
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clusterwright_localaws.cloudformation.errors import CloudFormationError, ValidationError
from clusterwright_localaws.cloudformation.evaluate import Scope
from clusterwright_localaws.cloudformation.planning import export_name, output_text
from clusterwright_localaws.cloudformation.state import Output, Revision, Stack

if TYPE_CHECKING:
    from clusterwright_localaws.cloudformation.store import Store


def compute_outputs(store: Store, stack: Stack, revision: Revision, scope: Scope) -> list[Output]:
    """Return a stack's outputs, now that its resources are there.

    Raises
    ------
    ValidationError
        An output is not a string, the name of an export is in use, or an export that other stacks
        use would change.
    """
    outputs = []
    for key, output in revision.template.outputs.items():
        if "Condition" in output and not scope.condition(output["Condition"]):
            continue
        value = output_text(scope.evaluate(output["Value"]))
        export = export_name(scope, output)
        outputs.append(
            Output(key, value, output.get("Description"), None if export is None else str(export))
        )
    for one in outputs:
        if one.export is not None:
            _check_export(store, stack, one.export, one.value)
    return outputs


def check_removed_exports(store: Store, stack: Stack, revision: Revision, scope: Scope) -> None:
    """Refuse a revision that drops an export which other stacks import.

    Raises
    ------
    ValidationError
        It does.
    """
    kept = set()
    for output in revision.template.outputs.values():
        if "Condition" in output and not scope.condition(output["Condition"]):
            continue
        with contextlib.suppress(CloudFormationError):
            kept.add(export_name(scope, output))
    for name in stack.exports():
        importers = store.importers(name)
        if name not in kept and importers:
            raise ValidationError(
                f"Export {name} cannot be deleted as it is in use by {listed(importers)}"
            )


def listed(names: Sequence[str]) -> str:
    """Return names as CloudFormation lists stacks: ``a, b and c``."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _check_export(store: Store, stack: Stack, name: str, value: str) -> None:
    owner = store.exporter(name)
    if owner is not None and owner is not stack:
        raise ValidationError(
            f"Export with name {name} is already exported by stack {owner.name}."
        )
    before = stack.exports().get(name)
    importers = store.importers(name)
    if before is not None and before != value and importers:
        raise ValidationError(
            f"Export {name} cannot be updated as it is in use by {listed(importers)}"
        )

"""The effect of a deployment on every resource, from the templates of two versions of an app.

The templates are compared with CloudFormation's resource schemas. A change of a create-only
property replaces the resource. A change of a conditionally create-only property counts as a
replacement unless it is known to be in place; so does what is unknown before the deployment. A
replaced resource has a new identity, which changes every value that refers to it, so the analysis
is repeated until nothing changes.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from clusterwright.cfn.resource_schemas import Pointer, ResourceSchema, value_at
from clusterwright.review import resource_types
from clusterwright.review.assembly import Assembly
from clusterwright.review.expressions import Expression, Reference, Scope, references, shown
from clusterwright.review.recorded_spec import KEY as RECORD
from clusterwright.review.results import Action, Certainty, Effect, ResourceChange

SchemaOf = Callable[[str], ResourceSchema | None]
"""A type's schema; None where there is none."""

KEEPING: Final = frozenset({"Retain", "RetainExceptOnCreate"})
_ATTRIBUTES: Final = ("DeletionPolicy", "UpdateReplacePolicy", "DependsOn", "Metadata")

Key = tuple[str, str]
"""A stack and a logical id."""


@dataclass(frozen=True)
class ResourceVersion:
    """A resource in one version, with its properties as expressions."""

    key: Key
    type: str
    properties: Mapping[str, Expression]
    body: Mapping[str, Any]

    def policy(self, name: str) -> str:
        """`DeletionPolicy` or `UpdateReplacePolicy`; `Delete` where the template has none."""
        found = self.body.get(name)
        return found if isinstance(found, str) else "Delete"


@dataclass(frozen=True)
class Pair:
    """A resource before and after; None where a version lacks it."""

    key: Key
    before: ResourceVersion | None
    after: ResourceVersion | None


@dataclass
class ChangeAnalysis:
    """The changes of the resources, and what they were derived from."""

    changes: list[ResourceChange]
    pairs: dict[Key, Pair]
    changed_exports: dict[str, tuple[Certainty, str]] = field(default_factory=dict)
    """Exports that change or are removed: how certain that is, and why."""

    exported: Mapping[str, tuple[str, Expression]] = field(default_factory=dict)
    """Exports of the new version: their stack and value."""

    unresolved: list[str] = field(default_factory=list)
    """Stacks whose resources are unknown from the template alone, and why."""


def analyse(before: Assembly, after: Assembly, schema_of: SchemaOf) -> ChangeAnalysis:
    """The change of every resource when `after` is deployed over `before`."""
    return _Analysis(before, after, schema_of).run()


def resources_of(assembly: Assembly) -> dict[Key, ResourceVersion]:
    """Every resource, except those whose condition is known to be false."""
    found = {}
    for stack in assembly.stacks:
        scope = assembly.scope(stack)
        for name, body in scope.resources.items():
            if "Condition" in body and scope.condition(body["Condition"]) is False:
                continue
            properties = scope.value(body.get("Properties") or {})
            found[(stack, name)] = ResourceVersion(
                (stack, name),
                str(body["Type"]),
                properties if isinstance(properties, Mapping) else {"*": properties},
                body,
            )
    return found


def at(value: Expression, pointer: Pointer) -> Expression:
    """The value at a path of an expression; a function on the path stands for all of it."""
    return value_at(value, pointer, lambda part: isinstance(part, tuple))


class _Analysis:
    def __init__(self, before: Assembly, after: Assembly, schema_of: SchemaOf) -> None:
        self._before, self._after, self._schema_of = before, after, schema_of
        old, new = resources_of(before), resources_of(after)
        self._pairs = {
            key: Pair(key, old.get(key), new.get(key))
            for key in [*old, *(k for k in new if k not in old)]
        }
        self._replaced: set[Key] = set()
        self._updated: set[Key] = set()
        self._exports: dict[str, tuple[Certainty, str]] = {}
        self._exported = exports(after)
        self._quiet = {
            name
            for name, stack in after.stacks.items()
            if name in before.stacks
            and before.stacks[name].template == stack.template
            and before.stacks[name].parameters == stack.parameters
        }

    def run(self) -> ChangeAnalysis:
        while True:
            known = (set(self._replaced), set(self._updated), dict(self._exports))
            changes = [c for pair in self._pairs.values() if (c := self._change(pair)) is not None]
            self._replaced = {(c.stack, c.logical_id) for c in changes if c.ends}
            self._updated = {(c.stack, c.logical_id) for c in changes if c.action == "update"}
            self._exports = self._changed_exports()
            if known == (self._replaced, self._updated, self._exports):
                break
        unresolved = {
            f"{name}: {reason}"
            for side in (self._before, self._after)
            for name in side.stacks
            if (reason := side.scope(name).unresolved) is not None
        }
        return ChangeAnalysis(
            changes, self._pairs, self._exports, self._exported, sorted(unresolved)
        )

    def _change(self, pair: Pair) -> ResourceChange | None:
        before, after = pair.before, pair.after
        if before is None:
            assert after is not None
            return _created(after)
        if after is None:
            return self._removed(before)
        if before.type != after.type:
            reason = f"its type changes from {before.type} to {after.type}"
            return _ended(before, after, "replace", "replace", (reason,), ())
        return self._kept(before, after)

    def _removed(self, before: ResourceVersion) -> ResourceChange:
        stack = before.key[0]
        if stack not in self._after.stacks:
            reason = (
                f"the stack {stack} is no longer part of the app: `cdk deploy` does not change "
                "it, its cost continues, and deleting the stack deletes this resource"
            )
            return _ended(before, None, "delete", "leave", (reason,), ())
        return _ended(before, None, "delete", "delete", ("it is not in the template",), ())

    def _kept(self, before: ResourceVersion, after: ResourceVersion) -> ResourceChange | None:
        schema = self._schema_of(after.type)
        changed: list[str] = []
        replacing: list[tuple[str, Certainty]] = []
        sure = False
        for name in [
            *before.properties,
            *(n for n in after.properties if n not in before.properties),
        ]:
            how = self._differs(before, after, (name,))
            if how is None:
                continue
            changed.append(name)
            sure = sure or how == "certain"
        for reason, certainty in self._replacing(before, after, schema, changed):
            replacing.append((reason, certainty))
        attributes = self._attribute_reasons(before, after)
        if replacing:
            certain: Certainty = (
                "certain" if any(c == "certain" for _, c in replacing) else "possible"
            )
            reasons = tuple(reason for reason, _ in replacing) + attributes
            found = _ended(before, after, "replace", "replace", reasons, tuple(changed), certain)
            return replace(found, follows=self._follows(after, changed))
        if not changed and not attributes:
            return None
        return self._updates(before, after, changed, attributes, sure=sure)

    def _updates(
        self,
        before: ResourceVersion,
        after: ResourceVersion,
        changed: list[str],
        attributes: tuple[str, ...],
        *,
        sure: bool,
    ) -> ResourceChange:
        effect: Effect = "update" if changed else "none"
        reasons = [self._described(before, after, name) for name in changed]
        for (kind, pointer), what in resource_types.INTERRUPTS.items():
            if kind == after.type and self._differs(before, after, pointer) is not None:
                effect = "restart"
                reasons.append(f"{'.'.join(pointer)} changes: {what}")
        held = _unprotected(before, after)
        return ResourceChange(
            stack=after.key[0],
            logical_id=after.key[1],
            type=after.type,
            effect=effect,
            action="update",
            reasons=(*reasons, *attributes),
            properties=tuple(changed),
            certainty="certain" if sure or not changed else "possible",
            job_loss=effect == "restart" and after.type in resource_types.RUNS_JOBS,
            holds=held,
            outcome=f"deleting its stack then deletes: {held}" if held is not None else None,
            protection_loss=held is not None,
            follows=self._follows(after, changed),
        )

    def _replacing(
        self,
        before: ResourceVersion,
        after: ResourceVersion,
        schema: ResourceSchema | None,
        changed: list[str],
    ) -> Iterator[tuple[str, Certainty]]:
        if not changed:
            return
        if "*" in (*before.properties, *after.properties):
            yield "an intrinsic function returns all of its properties", "possible"
            return
        if schema is None:
            yield from self._without_schema(after, changed)
            return
        for pointer in sorted(schema.create_only):
            how = self._differs(before, after, pointer)
            if how is not None:
                tail = "cannot be updated in place"
                yield self._described(before, after, *pointer, tail=tail), how
        for pointer in sorted(schema.conditional_create_only):
            if (after.type, pointer[0]) in resource_types.IN_PLACE and len(pointer) == 1:
                continue
            if self._differs(before, after, pointer) is not None:
                tail = "cannot be updated in place for some values"
                yield self._described(before, after, *pointer, tail=tail), "possible"
        for pointer, source in resource_types.REPLACED_TOO.get(after.type, ()):
            how = self._differs(before, after, pointer)
            if how is not None:
                tail = f"replaces ({source})"
                yield self._described(before, after, *pointer, tail=tail), how

    def _without_schema(
        self, after: ResourceVersion, changed: list[str]
    ) -> Iterator[tuple[str, Certainty]]:
        if after.type in resource_types.KEEPS_ITS_ID and "ServiceToken" not in changed:
            return
        names = ", ".join(changed)
        if after.type.startswith("Custom::") or after.type.endswith("::CustomResource"):
            yield f"{names} changes: the function of a custom resource may replace it", "possible"
        else:
            yield f"{names} changes, and {after.type} has no schema", "possible"

    def _attribute_reasons(
        self, before: ResourceVersion, after: ResourceVersion
    ) -> tuple[str, ...]:
        found = []
        for name in _ATTRIBUTES:
            old, new = before.body.get(name), after.body.get(name)
            if name == "Metadata":
                old, new = _without_record(old), _without_record(new)
            if old == new:
                continue
            if name in ("DeletionPolicy", "UpdateReplacePolicy"):
                found.append(f"{name}: {before.policy(name)} becomes {after.policy(name)}")
            elif name == "Metadata":
                found.append("Metadata changes")
        return tuple(found)

    def _described(
        self,
        before: ResourceVersion,
        after: ResourceVersion,
        *pointer: str,
        tail: str | None = None,
    ) -> str:
        old, new = at(before.properties, pointer), at(after.properties, pointer)
        name = ".".join(pointer)
        if old == new:
            why = ", ".join(sorted(set(self._because(after, new)))) or "what it refers to"
            text = f"{name} follows {why}"
        elif isinstance(old, (str, type(None))) and isinstance(new, (str, type(None))):
            text = f"{name}: {_short(old)} becomes {_short(new)}"
        else:
            text = f"{name} changes"
        return f"{text}, which {tail}" if tail else text

    def _differs(
        self, before: ResourceVersion, after: ResourceVersion, pointer: Pointer
    ) -> Certainty | None:
        """The certainty that the value at a path changes; None where it does not."""
        old, new = at(before.properties, pointer), at(after.properties, pointer)
        if old != new:
            plain = all(not list(references(side)) for side in (old, new))
            return "certain" if plain or not _same_shape(old, new) else "possible"
        hows = [self._reference_changes(after.key[0], reference) for reference in references(new)]
        if "certain" in hows:
            return "certain"
        return "possible" if "possible" in hows else None

    def _follows(self, side: ResourceVersion, changed: list[str]) -> tuple[str, ...]:
        """The resources whose changes change these properties, across stacks."""
        found: list[str] = []

        def follow(stack: str, value: Expression) -> None:
            for reference in references(value):
                if self._reference_changes(stack, reference) is None:
                    continue
                if reference.kind in ("ref", "attribute"):
                    found.append(f"{stack}/{reference.name}")
                elif reference.kind == "import" and reference.name in self._exported:
                    follow(*self._exported[reference.name])

        for name in changed:
            follow(side.key[0], side.properties.get(name))
        return tuple(dict.fromkeys(name for name in found if name != "/".join(side.key)))

    def _because(self, side: ResourceVersion, value: Expression) -> Iterator[str]:
        for reference in references(value):
            if self._reference_changes(side.key[0], reference) is not None:
                what = "the export " if reference.kind == "import" else ""
                yield f"{what}{reference.name}"

    def _reference_changes(self, stack: str, reference: Reference) -> Certainty | None:
        """The certainty that the value of a reference changes; None where it does not."""
        key = (stack, reference.name)
        if reference.kind == "import":
            moved = self._exports.get(reference.name)
            return None if moved is None else moved[0]
        if reference.kind == "parameter":
            return None if stack in self._quiet else "possible"
        if key in self._replaced:
            return "certain"
        if reference.kind == "attribute" and key in self._updated:
            return self._attribute_reference_changes(self._pairs.get(key), reference.attribute)
        return None

    def _attribute_reference_changes(
        self, pair: Pair | None, attribute: str | None
    ) -> Certainty | None:
        """The certainty that an attribute changes with an update in place."""
        if pair is None or pair.before is None or pair.after is None or attribute is None:
            return "possible"
        kind = pair.after.type
        if _of_its_identity(self._schema_of(kind), attribute):
            return None
        if (kind, attribute) in resource_types.FIXED_ATTRIBUTES:
            return None
        pointer = tuple(attribute.split("."))
        if pointer[0] in pair.before.properties and pointer[0] in pair.after.properties:
            # The attribute returns the property itself.
            return self._differs(pair.before, pair.after, pointer)
        return "possible"

    def _changed_exports(self) -> dict[str, tuple[Certainty, str]]:
        old, new = exports(self._before), exports(self._after)
        found: dict[str, tuple[Certainty, str]] = {}
        for name, (stack, value) in old.items():
            if name not in new:
                found[name] = ("certain", "it is no longer exported")
                continue
            now = new[name][1]
            if now != value:
                found[name] = ("certain", f"its value changes from {shown(value)} to {shown(now)}")
                continue
            moved = {
                reference.name: how
                for reference in references(value)
                if (how := self._reference_changes(stack, reference)) is not None
                and (reference.kind != "import" or reference.name != name)
            }
            if moved:
                sure: Certainty = "certain" if "certain" in moved.values() else "possible"
                found[name] = (sure, f"its value follows {', '.join(sorted(moved))}")
        return found


def exports(assembly: Assembly) -> dict[str, tuple[str, Expression]]:
    """Every export whose name is known: its stack and its value."""
    found = {}
    for stack in assembly.stacks:
        scope: Scope = assembly.scope(stack)
        for output in scope.section("Outputs").values():
            if not isinstance(output, Mapping) or not isinstance(output.get("Export"), Mapping):
                continue
            if "Condition" in output and scope.condition(output["Condition"]) is False:
                continue
            name = scope.value(output["Export"].get("Name"))
            if isinstance(name, str):
                found[name] = (stack, scope.value(output.get("Value")))
    return found


def imports(assembly: Assembly, stack: str) -> set[str]:
    """Names of the exports that a stack imports, where they are known."""
    scope = assembly.scope(stack)
    value = [
        scope.value(body)
        for section in ("Resources", "Outputs")
        for body in scope.section(section).values()
    ]
    return {r.name for r in references(value) if r.kind == "import" and r.name}


def _created(after: ResourceVersion) -> ResourceChange:
    stack, name = after.key
    return ResourceChange(
        stack=stack,
        logical_id=name,
        type=after.type,
        effect="none",
        action="create",
        reasons=("it is new",),
    )


def _ended(
    before: ResourceVersion,
    after: ResourceVersion | None,
    effect: Effect,
    action: Action,
    reasons: tuple[str, ...],
    properties: tuple[str, ...],
    certainty: Certainty = "certain",
) -> ResourceChange:
    """The change of a resource that ends; its data is kept only if every policy keeps it."""
    if action == "replace":
        policies = {before.policy("UpdateReplacePolicy")}
        if after is not None:
            policies.add(after.policy("UpdateReplacePolicy"))
    else:
        policies = {_policy(before, "DeletionPolicy")}
    kept = policies <= KEEPING
    snapshot = policies <= (KEEPING | {"Snapshot"})
    holds = resource_types.holds(before.type, kept_by_policy=bool(policies & KEEPING))
    outcome = None
    if holds is not None:
        if kept:
            outcome = "it is retained outside the stack"
            if action == "replace":
                outcome += "; the new one is empty"
        elif snapshot:
            outcome = "a snapshot is retained"
        else:
            outcome = f"lost: {holds}"
    return ResourceChange(
        stack=before.key[0],
        logical_id=before.key[1],
        type=before.type,
        effect=effect,
        action=action,
        reasons=reasons,
        properties=properties,
        certainty=certainty,
        holds=holds,
        data_loss=holds is not None and not snapshot,
        outcome=outcome,
        job_loss=before.type in resource_types.RUNS_JOBS and not (kept and action != "replace"),
    )


def _unprotected(before: ResourceVersion, after: ResourceVersion) -> str | None:
    """What deleting the stack deletes after the change and kept before; None for nothing."""
    known = resource_types.HOLDS.get(after.type)
    if known is None:
        return None
    ranks = {"Delete": 0, "Snapshot": 1}  # a policy that keeps the resource: 2
    for name in ("DeletionPolicy", "UpdateReplacePolicy"):
        was, now = (ranks.get(_policy(side, name), 2) for side in (before, after))
        if now == 0 and was > 0:
            return known
    protection = resource_types.DELETION_PROTECTION.get(after.type)
    if protection is None:
        return None
    was_on, is_on = (side.properties.get(protection) == "true" for side in (before, after))
    return known if was_on and not is_on else None


def deletion_policy(side: ResourceVersion) -> str:
    """What happens to a resource that is deleted: its policy, or CloudFormation's default."""
    return _policy(side, "DeletionPolicy")


def _policy(side: ResourceVersion, name: str) -> str:
    """A policy; where the template has none, that of CloudFormation for the type."""
    if name == "DeletionPolicy" and name not in side.body and _snapshot_by_default(side):
        return "Snapshot"
    return side.policy(name)


def _snapshot_by_default(side: ResourceVersion) -> bool:
    return (
        side.type in resource_types.SNAPSHOT_WITHOUT_POLICY
        and "DBClusterIdentifier" not in side.properties
    )


def _without_record(metadata: Any) -> Any:
    """Metadata without the recorded spec, whose changes are listed separately."""
    if not isinstance(metadata, Mapping):
        return metadata
    return {key: value for key, value in metadata.items() if key != RECORD} or None


def _of_its_identity(schema: ResourceSchema | None, attribute: str) -> bool:
    """Whether an attribute identifies the resource, so that an update in place keeps it."""
    pointer = tuple(attribute.split("."))
    if schema is not None and any(pointer in identifier for identifier in schema.identifiers):
        return True
    # ARNs and ids derive from the identity; those of a part of it (`X.Arn`) may not.
    return len(pointer) == 1 and attribute.endswith(("Arn", "ARN", "Id"))


def _same_shape(old: Expression, new: Expression) -> bool:
    """Whether two different expressions could still have one value."""
    return isinstance(old, tuple) or isinstance(new, tuple)


def _short(value: Expression, length: int = 60) -> str:
    if value is None:
        return "none"
    text = shown(value)
    return text if len(text) <= length else f"{text[: length - 1]}…"

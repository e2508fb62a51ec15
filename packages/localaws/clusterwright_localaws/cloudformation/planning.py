"""The plan of an operation: its effect on each resource, computed before any change.

The same plan is used for change sets, early validation and updates.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.cloudformation.changes import Difference, difference
from clusterwright_localaws.cloudformation.dynamic_values import pseudo_parameters, zones
from clusterwright_localaws.cloudformation.errors import ExportMissing, ValidationError
from clusterwright_localaws.cloudformation.evaluate import NO_VALUE, UNKNOWN, Scope
from clusterwright_localaws.cloudformation.handler import Handler
from clusterwright_localaws.cloudformation.references import references
from clusterwright_localaws.cloudformation.resource_types import registry
from clusterwright_localaws.cloudformation.schema import Violation, resource_schema
from clusterwright_localaws.cloudformation.state import STACK_TYPE, Resource, Revision, Stack
from clusterwright_localaws.cloudformation.template import DELETION_POLICIES, canonical

KEEPING = frozenset({"Retain", "RetainExceptOnCreate"})
"""Deletion policies that leave a resource behind."""

CREATE, UPDATE, REPLACE, KEEP = "create", "update", "replace", "keep"

ImportValue = Callable[[str], str]
OnMissing = Callable[[str | None, str], None]
"""Takes the resource that imports, None if an output does, and the export that does not exist."""


@dataclass(frozen=True)
class Step:
    """The effect on one resource of the new template.

    `properties` are evaluated, and hold `UNKNOWN` where a value comes only with the deployment.
    """

    logical_id: str
    type_name: str
    action: str
    definition: Mapping[str, Any]
    properties: Mapping[str, Any]
    difference: Difference
    violations: tuple[Violation, ...]
    old: Resource | None
    attribute_changes: tuple[str, ...] = ()


@dataclass
class Plan:
    """Every step in creation order, and the resources that leave the stack."""

    steps: dict[str, Step]
    removed: list[str]
    outputs_change: bool
    tags_change: bool
    failed_before: bool = False
    violations: list[tuple[Step, Violation]] = field(default_factory=list)

    @property
    def changes_nothing(self) -> bool:
        """Return whether this plan changes nothing."""
        return (
            not self.removed
            and not self.outputs_change
            and not self.tags_change
            and not self.failed_before
            and all(
                step.action == KEEP and not step.attribute_changes for step in self.steps.values()
            )
        )


def make_scope(
    stack: Stack,
    revision: Revision,
    *,
    ref: Callable[[str], Any],
    attribute: Callable[[str, str], Any],
    import_value: ImportValue,
) -> Scope:
    """Return the scope in which a revision's template is evaluated for a stack."""
    template = revision.template
    return Scope(
        pseudo=pseudo_parameters(stack, list(revision.notification_arns)),
        parameters={name: one.value for name, one in revision.parameters.items()},
        mappings=template.section("Mappings"),
        condition_expressions=template.section("Conditions"),
        resource_names=frozenset(template.resources),
        resource_ref=ref,
        resource_attribute=attribute,
        import_value=import_value,
        zones=functools.cache(lambda region: zones(stack.account, region)),
        language_extensions=template.language_extensions,
    )


def active_resources(scope: Scope, revision: Revision) -> list[str]:
    """Return the resources whose condition holds, in the template's order."""
    return [
        name
        for name, resource in revision.template.resources.items()
        if "Condition" not in resource or scope.condition(resource["Condition"])
    ]


def handler_of(type_name: str) -> Handler:
    """Return the handler that carries a resource type.

    Raises
    ------
    ValidationError
        The local AWS does not support the type.
    """
    found = registry().get(type_name)
    if found is not None:
        return found
    if type_name.startswith("Custom::") or type_name == "AWS::CloudFormation::CustomResource":
        carried = ", ".join(sorted(name for name in registry() if name.startswith("Custom::")))
        raise ValidationError(
            f"The local AWS does not support the custom resource {type_name}: it runs no Lambda "
            f"functions. It carries {carried}."
        )
    raise ValidationError(f"The local AWS does not support the resource type {type_name}.")


def evaluate_properties(scope: Scope, definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource's properties with every function answered."""
    found = scope.evaluate(dict(definition.get("Properties") or {}))
    return {} if found is NO_VALUE or not isinstance(found, Mapping) else dict(found)


def check_properties(
    type_name: str, region: str, properties: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Violation]]:
    """Return the properties as the schema coerces them, and what it refuses."""
    schema = resource_schema(type_name, region)
    if schema is None:  # custom resources have no schema
        return dict(properties), []
    coerced, violations = schema.validate(dict(properties))
    return coerced, violations


def policy_of(scope: Scope, definition: Mapping[str, Any], key: str) -> str | None:
    """Return a resource's ``DeletionPolicy`` or ``UpdateReplacePolicy``, evaluated."""
    found = definition.get(key)
    if found is None or isinstance(found, str):
        return found
    # A policy may be a parameter, and a function of them with AWS::LanguageExtensions.
    evaluated = scope.evaluate(found)
    if not isinstance(evaluated, str) or evaluated in DELETION_POLICIES:
        return evaluated if isinstance(evaluated, str) else None
    raise ValidationError(
        f"Template error: {key} must be one of {', '.join(sorted(DELETION_POLICIES))}"
    )


def deletion_policy(
    scope: Scope, definition: Mapping[str, Any], properties: Mapping[str, Any]
) -> str | None:
    """Return a resource's ``DeletionPolicy``, or what CloudFormation does without one.

    Without one a database is kept in a snapshot, and everything else is deleted.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
    """
    found = policy_of(scope, definition, "DeletionPolicy")
    if found is None and handler_of(definition["Type"]).snapshot_refusal(properties) is None:
        return "Snapshot"
    return found


def make_plan(
    stack: Stack,
    revision: Revision,
    import_value: ImportValue,
    *,
    on_missing: OnMissing | None = None,
) -> Plan:
    """Work out what a revision does to a stack.

    With `on_missing` the value of an export that does not exist is unknown, instead of an error.

    Raises
    ------
    ValidationError
        The template cannot be evaluated, names an export that does not exist, changes the type
        of a resource, or uses a type that is not carried.
    """
    return _Planner(stack, revision, import_value, on_missing).plan()


class _Planner:
    def __init__(
        self,
        stack: Stack,
        revision: Revision,
        import_value: ImportValue,
        on_missing: OnMissing | None,
    ) -> None:
        self._stack = stack
        self._revision = revision
        self._steps: dict[str, Step] = {}
        self._import_value, self._on_missing = import_value, on_missing
        self._name: str | None = None  # the resource that is evaluated
        self._block = "Resources"  # the part of the template whose references are looked up
        self._scope = make_scope(
            stack, revision, ref=self._ref, attribute=self._attribute, import_value=self._import
        )
        self._active = active_resources(self._scope, revision)

    def plan(self) -> Plan:
        self._refuse_types()
        self._refuse_attributes()
        template = self._revision.template
        for name in template.creation_order(self._active):
            self._name = name
            self._steps[name] = self._step(name, template.resources[name])
        self._name = None
        active = set(self._active)
        stack = self._stack
        plan = Plan(
            steps=self._steps,
            removed=[name for name in stack.resources if name not in active],
            outputs_change=self._outputs_change(),
            tags_change=bool(stack.resources)
            and dict(stack.revision.tags if stack.revision else {}) != dict(self._revision.tags),
            failed_before=stack.status in ("CREATE_FAILED", "UPDATE_FAILED"),
        )
        plan.violations = [
            (step, violation) for step in self._steps.values() for violation in step.violations
        ]
        return plan

    def _import(self, export: str) -> Any:
        try:
            return self._import_value(export)
        except ExportMissing:
            if self._on_missing is None:
                raise
            self._on_missing(self._name, export)
            return UNKNOWN

    def _refuse_types(self) -> None:
        changed = []
        for name in self._active:
            kind = self._revision.template.resources[name]["Type"]
            handler_of(kind)
            old = self._stack.resources.get(name)
            if old is not None and old.type_name != kind and old.physical_id:
                changed.append(name)
        if changed:
            raise ValidationError(
                "Update of resource type is not permitted. The new template modifies resource "
                f"type of the following resources: [{', '.join(changed)}]"
            )

    def _refuse_attributes(self) -> None:
        """Refuse attributes that a handler does not support before any resource is created."""
        template = self._revision.template
        used = [template.resources[name].get("Properties") or {} for name in self._active]
        used += [output["Value"] for output in template.outputs.values()]
        for reference in references(used):
            if reference.kind != "attribute" or reference.name not in self._active:
                continue
            kind = template.resources[reference.name]["Type"]
            if reference.attribute is not None and handler_of(kind).lacks(reference.attribute):
                raise ValidationError(
                    f"The local AWS does not support the attribute {reference.attribute} of "
                    f"{kind} "
                    f"({reference.name})."
                )

    def _step(self, name: str, definition: Mapping[str, Any]) -> Step:
        kind = definition["Type"]
        properties = evaluate_properties(self._scope, definition)
        coerced, violations = check_properties(kind, self._stack.region, properties)
        refused = handler_of(kind).refused(coerced)
        if refused and not violations:
            raise ValidationError(
                f"The local AWS does not support {', '.join(refused)} of {kind} ({name})."
            )
        self._refuse_snapshot(name, definition, coerced)
        old = self._stack.resources.get(name)
        attributes: tuple[str, ...] = ()
        if old is None or not old.physical_id:
            changed = Difference(())
            action = CREATE
        else:
            schema = resource_schema(kind, self._stack.region)
            changed = difference(schema, registry().get(kind), old.properties, coerced)
            attributes = _attribute_changes(old.definition, definition)
            outdated = handler_of(kind).outdated(
                self._stack.account, self._stack.region, old.physical_id, coerced
            )
            action = UPDATE if changed.any or outdated else KEEP
            if changed.replacement != "False":
                action = REPLACE
        return Step(
            name, kind, action, definition, coerced, changed, tuple(violations), old, attributes
        )

    def _refuse_snapshot(
        self, name: str, definition: Mapping[str, Any], properties: Mapping[str, Any]
    ) -> None:
        for key in ("DeletionPolicy", "UpdateReplacePolicy"):
            if policy_of(self._scope, definition, key) != "Snapshot":
                continue
            refusal = handler_of(definition["Type"]).snapshot_refusal(properties)
            if refusal is not None:
                raise ValidationError(f"Template error: {key} of {name}: {refusal}")

    def _ref(self, name: str) -> Any:
        step = self._known(name)
        return step.old.physical_id if step is not None and step.old else UNKNOWN

    def _attribute(self, name: str, attribute: str) -> Any:
        # A change in place keeps attributes as they are, for the plan. (AWS calls them unknown,
        # and lists every resource that uses one as changing "dynamically".)
        step = self._known(name)
        if step is None or step.old is None:
            return UNKNOWN
        if step.type_name == STACK_TYPE and step.action == UPDATE:
            return UNKNOWN  # the outputs of a nested stack are known after its operation
        return attribute_of(step.old, attribute, default=UNKNOWN)

    def _known(self, name: str) -> Step | None:
        step = self._steps.get(name)
        if step is None and name not in self._active:
            # As recorded on AWS, the message about outputs has no prefix.
            prefix = "" if self._block == "Outputs" else "Template format error: "
            raise ValidationError(
                f"{prefix}Unresolved resource dependencies [{name}] in the {self._block} block of "
                "the template"
            )
        if step is None or step.action in (CREATE, REPLACE):
            return None
        return step

    def _outputs_change(self) -> bool:
        now = {one.key: (one.value, one.description, one.export) for one in self._stack.outputs}
        planned = {}
        self._block = "Outputs"
        for key, output in self._revision.template.outputs.items():
            if "Condition" in output and not self._scope.condition(output["Condition"]):
                continue
            planned[key] = (
                output_text(self._scope.evaluate(output["Value"])),
                output.get("Description"),
                export_name(self._scope, output),
            )
        return now != planned


def export_name(scope: Scope, output: Mapping[str, Any]) -> Any:
    """Return the name that an output is exported under, or None; `UNKNOWN` stays.

    Raises
    ------
    ValidationError
        It is no text.
    """
    found = scope.evaluate(output.get("Export", {}).get("Name"))
    if found is None or found is UNKNOWN or (isinstance(found, str) and found):
        return found
    raise ValidationError(
        "Template format error: The Name of every Export must be a non-empty String."
    )


def output_text(value: Any) -> Any:
    """Return an output's value as text; `UNKNOWN` stays."""
    if value is UNKNOWN:
        return value
    if isinstance(value, (Mapping, list)) or value is NO_VALUE:
        raise ValidationError(
            "Template format error: The Value field of every Outputs member must evaluate to a "
            "String."
        )
    from clusterwright_localaws.cloudformation.evaluate import text

    return text(value)


def attribute_of(resource: Resource, attribute: str, default: Any = None) -> Any:
    """Return what ``Fn::GetAtt`` gives for a resource that exists.

    Raises
    ------
    ValidationError
        The handler does not support the attribute, and there is no `default`.
    """
    if attribute in resource.attributes:
        return resource.attributes[attribute]
    node: Any = resource.properties
    for part in attribute.split("."):
        node = node.get(part) if isinstance(node, Mapping) else None
    if node is not None:
        return node
    if default is not None:
        return default
    if resource.type_name == STACK_TYPE:
        raise ValidationError(
            f"Template error: instance of Fn::GetAtt references undefined output {attribute} of "
            f"nested stack {resource.logical_id}"
        )
    raise ValidationError(
        f"The local AWS does not support the attribute {attribute} of {resource.type_name} "
        f"({resource.logical_id})"
    )


def _attribute_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        key
        for key in ("Metadata", "DeletionPolicy", "UpdateReplacePolicy")
        if canonical(old.get(key)) != canonical(new.get(key))
    )

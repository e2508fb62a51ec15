"""A template: its sections, its validation before an operation, and its dependency graph.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.function_arguments import check_functions
from clusterwright_localaws.cloudformation.includes import (
    INCLUDE,
    Read,
    as_list,
    include,
    includes,
)
from clusterwright_localaws.cloudformation.loops import expand, has_loops, values_of
from clusterwright_localaws.cloudformation.references import (
    PSEUDO_PARAMETERS,
    Reference,
    references,
)
from clusterwright_localaws.cloudformation.schema import resource_schema
from clusterwright_localaws.cloudformation.template_limits import check_limits
from clusterwright_localaws.cloudformation.template_text import parse_text

LANGUAGE_EXTENSIONS = "AWS::LanguageExtensions"
SERVERLESS = "AWS::Serverless-2016-10-31"
"""Supported if no resource has a serverless type: then it changes nothing."""
_TRANSFORMS = (INCLUDE, LANGUAGE_EXTENSIONS, SERVERLESS)
WAIT_CONDITION = "AWS::CloudFormation::WaitCondition"

_SECTIONS = frozenset(
    {
        "AWSTemplateFormatVersion",
        "Conditions",
        "Description",
        "Mappings",
        "Metadata",
        "Outputs",
        "Parameters",
        "Resources",
        "Rules",
        "Transform",
    }
)
_RESOURCE_KEYS = frozenset(
    {
        "Condition",
        "CreationPolicy",
        "DeletionPolicy",
        "DependsOn",
        "Metadata",
        "Properties",
        "Type",
        "UpdatePolicy",
        "UpdateReplacePolicy",
    }
)
DELETION_POLICIES = frozenset({"Delete", "Retain", "RetainExceptOnCreate", "Snapshot"})
_NAME = re.compile(r"[A-Za-z0-9]+")

# Types that must be acknowledged, and the property with their custom name.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/control-access-with-iam.html
_IAM_NAMES: Mapping[str, str | None] = {
    "AWS::IAM::AccessKey": None,
    "AWS::IAM::Group": "GroupName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Policy": None,
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::User": "UserName",
    "AWS::IAM::UserToGroupAddition": None,
}


@dataclass(frozen=True)
class Template:
    """A template that has passed every check that needs no parameters.

    Use `Template.read`; the constructor checks nothing.
    """

    source: str
    body: Mapping[str, Any]
    included: bool = False
    """Whether parts of the body are objects in S3, which the source names."""

    @classmethod
    def read(
        cls,
        source: str,
        *,
        region: str,
        given: Sequence[Mapping[str, Any]] = (),
        previous: Mapping[str, Any] | None = None,
        read: Read | None = None,
        pseudo: Mapping[str, Any] | None = None,
    ) -> Template:
        """Parse and check a template, insert what it includes, and expand its loops.

        Parameters
        ----------
        source:
            The text, JSON or YAML.
        region:
            Where the resource types must exist.
        given, previous:
            The parameters of the request, and those of the stack by name; loops may use them.
        read:
            Reads an object in S3 by bucket and key, for templates that include some.
        pseudo:
            Pseudo parameters by name, for the locations of those objects.

        Raises
        ------
        ValidationError
            With CloudFormation's message for the first thing that is wrong.
        """
        template = cls(source, parse_text(source))
        if read is not None and includes(template.body):
            values = {**values_of(template.body, given, previous), **(pseudo or {})}
            template = cls(source, include(template.body, values, read), included=True)
        if template.language_extensions and has_loops(template.body):
            body = expand(template.body, given, previous)
            template = replace(template, body=body)
        _check(template, region)
        return template

    @property
    def resources(self) -> Mapping[str, Mapping[str, Any]]:
        """The ``Resources`` section."""
        return self.section("Resources")

    @functools.cached_property
    def edges(self) -> Mapping[str, frozenset[str]]:
        """For each resource, every resource that it refers to."""
        return {
            name: frozenset(_named(self, resource)) - {name}
            for name, resource in self.resources.items()
        }

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """The ``Parameters`` section."""
        return self.section("Parameters")

    @property
    def outputs(self) -> Mapping[str, Mapping[str, Any]]:
        """The ``Outputs`` section."""
        return self.section("Outputs")

    @property
    def description(self) -> str | None:
        """The ``Description``, or None."""
        found = self.body.get("Description")
        return found if isinstance(found, str) else None

    @property
    def transforms(self) -> list[str]:
        """The names in the ``Transform`` section, and that of a transform within the others."""
        listed = as_list(self.body.get("Transform"))
        # In full a transform is an object with a name and parameters.
        names = [str(one.get("Name")) if isinstance(one, Mapping) else str(one) for one in listed]
        return [*names, INCLUDE] if self.included and INCLUDE not in names else names

    @property
    def language_extensions(self) -> bool:
        """Return whether the template uses ``AWS::LanguageExtensions``."""
        return LANGUAGE_EXTENSIONS in self.transforms

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section that is a mapping; empty if the template has none."""
        found: Mapping[str, Any] = self.body.get(name) or {}
        return found

    def dependencies(self, logical_id: str, among: Collection[str]) -> set[str]:
        """Return the resources that must exist before `logical_id`, of those `among`."""
        return {name for name in self.edges[logical_id] if name in among}

    def creation_order(self, among: Collection[str]) -> list[str]:
        """Return the resources `among` so that each comes after what it depends on.

        Among resources that do not depend on each other, the order is the template's.
        """
        order: list[str] = []
        done: set[str] = set()

        def visit(name: str) -> None:
            if name in done:
                return
            done.add(name)
            for other in self.resources:
                if other in among and other in self.edges[name]:
                    visit(other)
            order.append(name)

        for name in self.resources:
            if name in among:
                visit(name)
        return order

    def capabilities(self) -> tuple[list[str], str]:
        """Return the capabilities that a caller must acknowledge, and why."""
        iam = [
            resource["Type"]
            for resource in self.resources.values()
            if resource["Type"] in _IAM_NAMES
        ]
        macros = [one for one in self.transforms if one in _TRANSFORMS]
        expand = ["CAPABILITY_AUTO_EXPAND"] if macros else []
        if not iam:
            return expand, _macros(macros)
        named = any(
            _IAM_NAMES[resource["Type"]] in (resource.get("Properties") or {})
            for resource in self.resources.values()
            if _IAM_NAMES.get(resource["Type"])
        )
        needed = "CAPABILITY_NAMED_IAM" if named else "CAPABILITY_IAM"
        listed = ", ".join(sorted(set(iam)))
        said = f"The following resource(s) require capabilities: [{listed}]"
        return [needed, *expand], "; ".join(text for text in (said, _macros(macros)) if text)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def _macros(names: list[str]) -> str:
    return f"The following transforms require capabilities: [{', '.join(names)}]" if names else ""


def _named(template: Template, resource: Mapping[str, Any]) -> Iterator[str]:
    depends = resource.get("DependsOn", [])
    yield from [depends] if isinstance(depends, str) else depends
    for part in ("Properties", "Metadata"):
        for reference in references(resource.get(part) or {}):
            if reference.kind in ("ref", "attribute") and reference.name in template.resources:
                yield reference.name


# --- validation before an operation ---------------------------------------------------


def _check(template: Template, region: str) -> None:
    _check_sections(template)
    _check_nulls(template.body, "")
    for name, parameter in template.section("Parameters").items():
        if not isinstance(parameter, Mapping) or "Type" not in parameter:
            raise ValidationError(
                "Template format error: Every Parameters object must contain a Type member."
            )
        _check_name("Parameter", name)
    for name, resource in template.resources.items():
        _check_resource(name, resource)
    _check_policy_functions(template)
    for name, output in template.section("Outputs").items():
        _check_name("Output", name)
        if not isinstance(output, Mapping) or "Value" not in output:
            raise ValidationError(
                "Template format error: Every Outputs member must contain a Value object"
            )
    for section in ("Conditions", "Rules", "Resources", "Outputs"):
        check_functions(template.section(section))
    _check_types(template, region)
    _check_references(template, region)
    _check_circles(template)


def _check_sections(template: Template) -> None:
    unknown = sorted(set(template.body) - _SECTIONS)
    if unknown:
        listed = ", ".join(unknown)
        raise ValidationError(f"Invalid template property or properties [{listed}]")
    version = template.body.get("AWSTemplateFormatVersion", "2010-09-09")
    if str(version) != "2010-09-09":
        raise ValidationError(
            "Template format error: unsupported value for AWSTemplateFormatVersion."
        )
    for name in sorted(_SECTIONS - {"AWSTemplateFormatVersion", "Description", "Transform"}):
        if name in template.body and not isinstance(template.body[name], Mapping):
            raise ValidationError(f"Template format error: Any {name} member must be an object.")
    if not template.resources:
        raise ValidationError(
            "Template format error: At least one Resources member must be defined."
        )
    check_limits(template.body)
    for transform in as_list(template.body.get("Transform")):
        if isinstance(transform, Mapping) and not isinstance(transform.get("Name"), str):
            # As recorded on AWS: docs/reference/probes.md, source `localstack`.
            raise ValidationError("Key Name of transform definition must be a string.")
    for transform in template.transforms:
        if transform not in _TRANSFORMS:
            raise ValidationError(f"No transform named {transform} found.")


def _check_nulls(value: Any, path: str) -> None:
    if value is None:
        raise ValidationError(f"[{path}] 'null' values are not allowed in templates")
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check_nulls(item, f"{path}/{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _check_nulls(item, f"{path}/{number}")


def _check_name(what: str, name: str) -> None:
    if name.startswith("Fn::ForEach"):
        raise ValidationError(
            f"Template format error: {name} needs the transform AWS::LanguageExtensions"
        )
    if not _NAME.fullmatch(name):
        raise ValidationError(f"Template format error: {what} name {name} is non alphanumeric.")


def _check_resource(name: str, resource: Any) -> None:
    _check_name("Resource", name)
    if not isinstance(resource, Mapping) or not isinstance(resource.get("Type"), str):
        raise ValidationError(
            f"Template format error: [/Resources/{name}] Every Resources object must contain a "
            "Type member."
        )
    for key in resource:
        if key not in _RESOURCE_KEYS:
            raise ValidationError(f"Invalid template resource property '{key}'")
    _check_policies(name, resource)
    if not isinstance(resource.get("Properties", {}), Mapping):
        raise ValidationError(
            f"Template format error: [/Resources/{name}/Properties] Properties must be an object"
        )
    for key in ("DeletionPolicy", "UpdateReplacePolicy"):
        policy = resource.get(key, "Delete")
        if not isinstance(policy, (str, Mapping)):
            raise ValidationError(f"Template format error: Every {key} member must be a string.")
        if isinstance(policy, str):
            _check_policy(policy, key, name)
    depends = resource.get("DependsOn", [])
    if not isinstance(depends, str) and not (
        isinstance(depends, list) and all(isinstance(item, str) for item in depends)
    ):
        raise ValidationError(
            "Template format error: DependsOn must be a string or list of strings."
        )


def _branches(policy: Any, key: str) -> Iterator[str]:
    """Yield what nested ``Fn::If`` may choose, except ``AWS::NoValue``."""
    if isinstance(policy, str):
        yield policy
        return
    if policy == {"Ref": "AWS::NoValue"}:
        return
    choice = policy.get("Fn::If") if isinstance(policy, Mapping) and len(policy) == 1 else None
    if not isinstance(choice, list) or len(choice) != 3:
        raise ValidationError(f"Template format error: Every {key} member must be a string.")
    yield from _branches(choice[1], key)
    yield from _branches(choice[2], key)


def _check_policy(policy: str, key: str, name: str) -> None:
    if policy not in DELETION_POLICIES:
        raise ValidationError(
            f"Template error: {key} of {name} must be one of "
            f"{', '.join(sorted(DELETION_POLICIES))}"
        )


def _check_policy_functions(template: Template) -> None:
    for name, resource in template.resources.items():
        for key in ("DeletionPolicy", "UpdateReplacePolicy"):
            policy = resource.get(key)
            # Conditions and parameters need no transform; other functions do.
            # As recorded on AWS: docs/reference/probes.md, source `localstack`, 2026-01-23.
            if policy in [{"Ref": parameter} for parameter in template.parameters]:
                continue
            if isinstance(policy, Mapping) and not template.language_extensions:
                for branch in _branches(policy, key):
                    _check_policy(branch, key, name)


def _check_policies(name: str, resource: Mapping[str, Any]) -> None:
    if "UpdatePolicy" in resource:
        # For instance groups, functions and similar types, none of which is supported.
        raise ValidationError(
            f"Template error: the local AWS does not support UpdatePolicy ({name})"
        )
    policy = resource.get("CreationPolicy", {})
    if "CreationPolicy" in resource and resource["Type"] != WAIT_CONDITION:
        raise ValidationError(
            f"Template error: the local AWS carries CreationPolicy of {WAIT_CONDITION} only "
            f"({name})"
        )
    if not isinstance(policy, Mapping) or set(policy) - {"ResourceSignal"}:
        raise ValidationError(
            f"Template error: CreationPolicy of {name} takes ResourceSignal and nothing else"
        )


def _check_types(template: Template, region: str) -> None:
    unknown = sorted(
        {
            resource["Type"]
            for resource in template.resources.values()
            if not resource["Type"].startswith("Custom::")
            and resource_schema(resource["Type"], region) is None
        }
    )
    if unknown:
        listed = ", ".join(unknown)
        raise ValidationError(f"Template format error: Unrecognized resource types: [{listed}]")


def _check_references(template: Template, region: str) -> None:
    names = set(template.resources)
    plain = names | set(template.parameters) | PSEUDO_PARAMETERS
    for name, resource in template.resources.items():
        depends = resource.get("DependsOn", [])
        desired = [depends] if isinstance(depends, str) else depends
        missing = sorted(set(desired) - names)
        if missing:
            raise _unresolved(missing, "Resources")
        _check_condition(template, resource.get("Condition"))
        for part in ("Properties", "Metadata"):
            _check_uses(template, resource.get(part) or {}, plain, "Resources", region)
        if name in desired:
            raise ValidationError(f"Circular dependency between resources: [{name}]")
    for output in template.outputs.values():
        _check_condition(template, output.get("Condition"))
        _check_uses(template, output, plain, "Outputs", region)
    no_resources = set(template.parameters) | PSEUDO_PARAMETERS
    for section in ("Conditions", "Rules"):
        for reference in references(dict(template.section(section))):
            if reference.kind == "ref" and reference.name not in no_resources:
                raise _unresolved([reference.name], section)
            if reference.kind == "attribute":
                raise ValidationError(
                    f"Template error: Fn::GetAtt is not allowed in the {section} section"
                )
            _check_other(template, reference)


def _check_uses(
    template: Template, value: Any, plain: Collection[str], section: str, region: str
) -> None:
    missing: list[str] = []
    for reference in references(value):
        if reference.kind == "ref":
            if reference.name not in plain:
                missing.append(reference.name)
        elif reference.kind == "attribute":
            _check_attribute(template, reference, region)
        else:
            _check_other(template, reference)
    if missing:
        raise _unresolved(sorted(set(missing)), section)


def _check_attribute(template: Template, reference: Reference, region: str) -> None:
    resource = template.resources.get(reference.name)
    if resource is None:
        raise ValidationError(
            "Template error: instance of Fn::GetAtt references undefined resource "
            f"{reference.name}"
        )
    kind = resource["Type"]
    if reference.attribute is None or kind.startswith("Custom::"):
        return
    if kind == "AWS::CloudFormation::CustomResource":
        return
    if kind == "AWS::CloudFormation::Stack" and reference.attribute.startswith("Outputs."):
        return
    schema = resource_schema(kind, region)
    if schema is not None and not schema.knows_attribute(reference.attribute):
        raise ValidationError(
            f"Template error: resource {reference.name} does not support attribute type "
            f"{reference.attribute} in Fn::GetAtt"
        )


def _check_other(template: Template, reference: Reference) -> None:
    if reference.kind == "mapping" and reference.name not in template.section("Mappings"):
        raise ValidationError(
            f"Template error: Mapping named '{reference.name}' is not present in the "
            "'Mappings' section of template."
        )
    if reference.kind == "if" and reference.name not in template.section("Conditions"):
        raise ValidationError(
            f"Template error: unresolved condition dependency {reference.name} in Fn::If"
        )


def _check_condition(template: Template, name: Any) -> None:
    if name is not None and not isinstance(name, str):
        raise ValidationError("Template format error: Every Condition member must be a string.")
    if name is not None and name not in template.section("Conditions"):
        raise ValidationError(
            f"Template format error: Unresolved condition dependency {name} in the Resources "
            "block of the template"
        )


def _unresolved(names: list[str], section: str) -> ValidationError:
    listed = ", ".join(names)
    return ValidationError(
        f"Template format error: Unresolved resource dependencies [{listed}] in the "
        f"{section} block of the template"
    )


def _check_circles(template: Template) -> None:
    edges = template.edges
    state: dict[str, int] = {}

    def visit(name: str, trail: list[str]) -> None:
        state[name] = 1
        trail.append(name)
        for other in edges[name]:
            if state.get(other) == 1:
                circle = ", ".join(trail[trail.index(other) :])
                raise ValidationError(f"Circular dependency between resources: [{circle}]")
            if other not in state:
                visit(other, trail)
        trail.pop()
        state[name] = 2

    for name, resource in template.resources.items():
        if name in set(_named(template, resource)):
            raise ValidationError(f"Circular dependency between resources: [{name}]")
        if name not in state:
            visit(name, [])


def canonical(value: Any) -> str:
    """Return a text that is equal for equal values, independent of the order of keys."""
    return json.dumps(value, sort_keys=True, default=repr)

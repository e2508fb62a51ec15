"""Policy documents: read, checked against the grammar, and kept as plain values.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
"""

from __future__ import annotations

import enum
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from clusterwright_localaws.iam.conditions import Condition, read_operator
from clusterwright_localaws.iam.positions import Span, statement_spans

Effect = Literal["Allow", "Deny"]
VERSIONS = ("2008-10-17", "2012-10-17")
_ACTION = re.compile(r"\*|[A-Za-z0-9-]+:[A-Za-z0-9*?_/-]+|[A-Za-z0-9*?-]*\*[A-Za-z0-9*?:_-]*")
_ELEMENTS = frozenset(
    {
        "Sid",
        "Effect",
        "Principal",
        "NotPrincipal",
        "Action",
        "NotAction",
        "Resource",
        "NotResource",
        "Condition",
    }
)


class Problem(enum.Enum):
    """What is wrong with a document: each service has its own words for it."""

    JSON = "it is not JSON"
    REPEATED = "an object has a key twice"
    SYNTAX = "it has another structure"
    VERSION = "its version does not exist"
    STATEMENT = "it has no statement"
    EMPTY = "its list of statements is empty"
    NO_EFFECT = "a statement has no effect"
    EFFECT = "a statement neither allows nor denies"
    ACTION = "a statement has no actions"
    VENDOR = "an action names no service"
    SCOPE = "an action is none of the resource's"
    RESOURCE = "a statement has no resources"
    NO_RESOURCES = "a statement has resources, which this kind of policy has not"
    PRINCIPAL = "a statement has no principal"
    NO_PRINCIPALS = "a statement has a principal, which this kind of policy has not"
    WHO = "a principal is malformed or does not exist"
    CONDITION = "a condition's operator does not exist"
    SIDS = "statements have the same id, or none"
    SIZE = "it is too long"


class MalformedPolicy(Exception):
    """The document is not a valid policy; the message contains the reason.

    `detail` is the part that the problem is about, for messages that quote it.
    """

    def __init__(self, message: str, problem: Problem = Problem.SYNTAX, detail: str = "") -> None:
        super().__init__(message)
        self.problem = problem
        self.detail = detail


@dataclass(frozen=True)
class Principals:
    """A Principal element: `everybody` is `"*"`; else lists by kind (`AWS`, `Service`, ...)."""

    everybody: bool = False
    named: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Statement:
    """One statement. Of each pair (`actions`, `not_actions`) one is None."""

    effect: Effect
    sid: str = ""
    actions: tuple[str, ...] | None = None
    not_actions: tuple[str, ...] | None = None
    resources: tuple[str, ...] | None = None
    not_resources: tuple[str, ...] | None = None
    principal: Principals | None = None
    not_principal: Principals | None = None
    conditions: tuple[Condition, ...] = ()
    span: Span | None = None


@dataclass(frozen=True)
class Policy:
    """A policy document and its source.

    `kind` is the simulator's word for the source: `user`, `group`, `role`, `aws-managed`,
    `user-managed`, `resource` or `none`.
    """

    statements: tuple[Statement, ...]
    version: str = VERSIONS[0]
    name: str = ""
    kind: str = "none"

    @property
    def has_variables(self) -> bool:
        return self.version == VERSIONS[1]


def read_policy(
    document: str | Mapping[str, Any], *, name: str = "", kind: str = "none"
) -> Policy:
    """Read a policy document.

    Raises
    ------
    MalformedPolicy
        It is not JSON, or not what the grammar allows.
    """
    text = document if isinstance(document, str) else json.dumps(document)
    return replace(_read(text), name=name, kind=kind)


@functools.lru_cache(maxsize=4096)
def _read(text: str) -> Policy:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise MalformedPolicy(f"Syntax errors in policy. ({error})", Problem.JSON) from error
    if not isinstance(document, dict):
        raise MalformedPolicy("Syntax errors in policy.")
    version = document.get("Version", VERSIONS[0])
    if version not in VERSIONS:
        raise MalformedPolicy(
            "The policy must contain a valid version string", Problem.VERSION, str(version)
        )
    statements = document.get("Statement")
    listed = [statements] if isinstance(statements, dict) else statements
    if not isinstance(listed, list):
        problem = Problem.STATEMENT if statements is None else Problem.SYNTAX
        raise MalformedPolicy("Syntax errors in policy: a Statement is missing", problem)
    unknown = sorted(set(document) - {"Version", "Id", "Statement"})
    if unknown:
        raise MalformedPolicy(f"Syntax errors in policy: unknown element {unknown[0]}")
    spans = statement_spans(text)
    return Policy(
        tuple(
            replace(_statement(one), span=span) for one, span in zip(listed, spans, strict=True)
        ),
        version,
    )


def _statement(given: Any) -> Statement:
    if not isinstance(given, dict):
        raise MalformedPolicy("Syntax errors in policy: a statement is not an object")
    unknown = sorted(set(given) - _ELEMENTS)
    if unknown:
        raise MalformedPolicy(f"Syntax errors in policy: unknown element {unknown[0]}")
    if given.get("Effect") not in ("Allow", "Deny"):
        raise MalformedPolicy(
            "Syntax errors in policy: Effect must be Allow or Deny",
            Problem.EFFECT if "Effect" in given else Problem.NO_EFFECT,
            str(given.get("Effect", "")),
        )
    if ("Action" in given) == ("NotAction" in given):
        raise MalformedPolicy("Policy statement must contain actions.", Problem.ACTION)
    for pair in (("Resource", "NotResource"), ("Principal", "NotPrincipal")):
        if all(name in given for name in pair):
            raise MalformedPolicy(f"Policy statement cannot have both {' and '.join(pair)}")
    actions, not_actions = (_texts(given, name) for name in ("Action", "NotAction"))
    for action in (*(actions or ()), *(not_actions or ())):
        if not _ACTION.fullmatch(action):
            raise MalformedPolicy(
                "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.",
                Problem.VENDOR,
                action,
            )
    return Statement(
        given["Effect"],
        str(given.get("Sid", "")),
        actions,
        not_actions,
        _texts(given, "Resource"),
        _texts(given, "NotResource"),
        _principals(given.get("Principal")),
        _principals(given.get("NotPrincipal")),
        tuple(_conditions(given.get("Condition", {}))),
    )


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    if name not in given:
        return None
    value = given[name]
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in listed):
        raise MalformedPolicy(f"Syntax errors in policy: {name} must be text or a list of texts")
    return tuple(listed)


def _principals(given: Any) -> Principals | None:
    if given is None:
        return None
    if given == "*":
        return Principals(everybody=True)
    if not isinstance(given, dict):
        raise MalformedPolicy("Invalid principal in policy", detail=str(given))
    unknown = sorted(set(given) - {"AWS", "Service", "Federated", "CanonicalUser"})
    if unknown:
        raise MalformedPolicy(
            f"Invalid principal in policy: {unknown[0]}", Problem.WHO, unknown[0]
        )
    return Principals(named=tuple((kind, _texts(given, kind) or ()) for kind in given))


def _conditions(given: Any) -> list[Condition]:
    if not isinstance(given, dict):
        raise MalformedPolicy("Syntax errors in policy: Condition must be an object")
    found = []
    for name, keys in given.items():
        read = read_operator(name)
        if read is None and keys == {}:
            continue  # AWS takes operators that do not exist, if they have no keys
        if read is None:
            raise MalformedPolicy(f"Invalid Condition type : {name}.", Problem.CONDITION, name)
        if not isinstance(keys, dict):
            raise MalformedPolicy(f"Syntax errors in policy: {name} must be an object")
        quantifier, operator, if_exists = read
        for key, values in keys.items():
            listed = values if isinstance(values, list) else [values]
            found.append(
                Condition(operator, key, tuple(_plain(v) for v in listed), quantifier, if_exists)
            )
    return found


def _plain(value: Any) -> str:
    """The grammar accepts strings, numbers and booleans, and compares them as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise MalformedPolicy("Syntax errors in policy: a condition's value must be text")

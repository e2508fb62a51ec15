"""The processed stage of a template with AWS::LanguageExtensions or AWS::Include.

Of the first, as recorded on AWS (docs/reference/probes.md, source `localstack`), it is JSON
without the transform and without loops, and functions of known values are replaced by their
results. Recorded are Fn::Join, Fn::Length, Fn::Sub and Fn::ToJsonString; the others are replaced
alike. Of the second it is JSON with what was included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.evaluate import NO_VALUE, Scope, contains_unknown
from clusterwright_localaws.cloudformation.template import Template

_FOLDED: Final = frozenset(
    {
        "Fn::FindInMap",
        "Fn::Join",
        "Fn::Length",
        "Fn::Select",
        "Fn::Split",
        "Fn::Sub",
        "Fn::ToJsonString",
    }
)


def processed_text(template: Template, scope: Scope) -> str:
    """Return the text of the processed stage; other templates are as they were written."""
    if not template.language_extensions and not template.included:
        return template.source
    body = {key: value for key, value in template.body.items() if key != "Transform"}
    if not template.language_extensions:
        return json.dumps(body)
    for section in ("Resources", "Outputs"):
        if section in body:
            body[section] = _folded(body[section], scope)
    return json.dumps(body)


def _folded(node: Any, scope: Scope) -> Any:
    if isinstance(node, list):
        return [_folded(item, scope) for item in node]
    if not isinstance(node, Mapping):
        return node
    if len(node) == 1 and next(iter(node)) in _FOLDED:
        try:
            value = scope.evaluate(node)
        except ValidationError:
            return node
        if not contains_unknown(value) and value is not NO_VALUE:
            return value
    found = {key: _folded(value, scope) for key, value in node.items()}
    depends = found.get("DependsOn")
    if isinstance(depends, list) and len(depends) == 1:
        found["DependsOn"] = depends[0]
    return found

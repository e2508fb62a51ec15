"""What an answer of moto lacks or has only because moto writes what a request did not state.

moto answers `{}`, an empty string or 0 for it (`VpcConfig` of a SageMaker model), which AWS leaves
out; and it leaves out structures that AWS always answers, if only as `{}` (`CreatedBy` of a model
package group).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.answer_checks import allowed


def repaired(shape: Any, value: Any) -> Any:
    """Return an answer, or a part of one, with these repairs; its shape is botocore's.

    Optional members are left out that are empty or 0, which the model does not allow;
    required structures that require no members are added.
    """
    if shape.type_name == "structure" and isinstance(value, Mapping):
        members = shape.members
        required = shape.metadata.get("required", ())
        found = {
            name: repaired(members[name], item) if name in members else item
            for name, item in value.items()
            if name not in members or name in required or not _is_refused(members[name], item)
        }
        missing = [name for name in required if found.get(name) is None]
        return found | {name: {} for name in missing if _may_be_empty(members[name])}
    if shape.type_name == "list" and isinstance(value, list):
        return [repaired(shape.member, item) for item in value]
    if shape.type_name == "map" and isinstance(value, Mapping):
        return {key: repaired(shape.value, item) for key, item in value.items()}
    return value


def _is_refused(shape: Any, value: Any) -> bool:
    return value in ("", {}, 0) and not allowed(shape, value)


def _may_be_empty(shape: Any) -> bool:
    return (
        shape.type_name == "structure" and not shape.metadata.get("union") and allowed(shape, {})
    )

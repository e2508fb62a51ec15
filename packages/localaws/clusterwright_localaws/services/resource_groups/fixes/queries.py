"""moto fails at a group's query that is not JSON or lacks the types of resources.

Errors of the operation: BadRequestException ("The request includes one or more parameters that
violate validation rules"). The message is moto's for other malformed queries.
https://docs.aws.amazon.com/ARG/latest/APIReference/API_CreateGroup.html
https://docs.aws.amazon.com/ARG/latest/APIReference/API_ResourceQuery.html
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Resource Groups: queries that are not JSON or have no types of resources are refused"
)


def apply() -> None:
    from moto.resourcegroups.models import ResourceGroupsBackend

    validate = ResourceGroupsBackend._validate_resource_query

    def validate_resource_query(resource_query: dict[str, str]) -> None:
        if runtime().active and resource_query:
            _check(resource_query.get("Query", ""))
        validate(resource_query)

    ResourceGroupsBackend._validate_resource_query = staticmethod(  # type: ignore[method-assign]
        validate_resource_query
    )


def _check(text: str) -> None:
    from moto.resourcegroups.exceptions import BadRequestException

    try:
        query: Any = json.loads(text)
    except ValueError:
        query = None
    if not isinstance(query, dict) or "ResourceTypeFilters" not in query:
        raise BadRequestException("Invalid query: Invalid query format: check JSON syntax")

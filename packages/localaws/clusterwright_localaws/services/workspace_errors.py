"""Errors as Managed Prometheus and Managed Grafana model them: with the resource, or a reason.

Their botocore models have the same shapes (amp 2020-08-01, grafana 2020-08-18).
"""

from __future__ import annotations

from clusterwright_localaws.core.errors import AwsError


def invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message, reason="FIELD_VALIDATION_FAILED")


def missing(message: str, resource_id: str, kind: str) -> AwsError:
    return AwsError(
        "ResourceNotFoundException", message, resourceId=resource_id, resourceType=kind
    )


def conflict(message: str, resource_id: str, kind: str) -> AwsError:
    return AwsError("ConflictException", message, resourceId=resource_id, resourceType=kind)

"""Enumeration values and amounts in API responses."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession


def known_value(
    session: AwsSession, value: str, *, service: str, operation: str, shape: str
) -> str:
    """Return `value` if the service's API model lists it.

    A state that AWS added later may mean anything, so callers must not guess its meaning.

    Parameters
    ----------
    shape:
        The enumeration's name in botocore's model of the service (`NatGatewayState`).

    Raises
    ------
    AwsUnavailable
        The model does not list the value.
    """
    model = session.client(service).meta.service_model
    if value in model.shape_for(shape).enum:
        return value
    raise AwsUnavailable(
        service=service,
        operation=operation,
        region=session.region,
        reason="other",
        detail=f"{shape} {value!r} is not known to this version",
    )


def is_usd(answer: Mapping[str, Any]) -> bool:
    """Whether the amounts of an offer are in US dollars, which is also the default."""
    return str(answer.get("CurrencyCode", "USD")) == "USD"


def usd_amount(text: Any) -> Decimal | None:
    """Return a positive amount, None for anything else."""
    try:
        amount = Decimal(str(text))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount > 0 else None

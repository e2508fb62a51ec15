"""Values of a fixed list, such as states: one that this version does not know is no answer."""

from __future__ import annotations

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession


def known_value(
    session: AwsSession, value: str, *, service: str, operation: str, shape: str
) -> str:
    """`value`, where the service's API model lists it.

    A state that AWS added later may mean anything: who sorts by states must not guess what it is.

    Parameters
    ----------
    shape:
        The list's name in botocore's model of the service (`NatGatewayState`).

    Raises
    ------
    AwsUnavailable
        The model does not have the value.
    """
    model = session.client(service).meta.service_model
    if value in model.shape_for(shape).enum:
        return value
    raise AwsUnavailable(
        service=service,
        operation=operation,
        region=session.region,
        reason="other",
        detail=f"{shape} {value!r} is not one that this version knows",
    )

"""Errors that answer a call of an API."""

from __future__ import annotations

from typing import Any


class AwsError(Exception):
    """An error that the caller receives in the format of its protocol.

    Parameters
    ----------
    code:
        AWS's error code, without a namespace.
    message:
        AWS's message where it is known.
    status:
        HTTP status. Default: the service model's status for that code, else 400.
    """

    def __init__(self, code: str, message: str, status: int | None = None, **members: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        for name, value in members.items():
            setattr(self, name, value)


class ForwardToMoto(Exception):
    """Raised by an implementation to forward a call to moto, for a resource that moto keeps."""

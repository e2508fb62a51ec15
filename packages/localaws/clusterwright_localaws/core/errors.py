"""Errors that answer a call of an API."""

from __future__ import annotations

from typing import Any


class AwsError(Exception):
    """An error that the caller sees in the shape of its protocol.

    Parameters
    ----------
    code:
        AWS's error code, without a namespace.
    message:
        AWS's words where they are known.
    status:
        HTTP status; without it the service model's for that code, else 400.
    """

    def __init__(self, code: str, message: str, status: int | None = None, **members: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        for name, value in members.items():
            setattr(self, name, value)


class ForwardToMoto(Exception):
    """An implementation leaves this call to moto, as for a resource that moto keeps."""

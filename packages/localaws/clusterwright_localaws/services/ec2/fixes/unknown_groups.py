"""moto's message about unknown security groups shows a Python set; AWS's names one group."""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: the error about a security group that does not exist names the group"


def apply() -> None:
    from moto.ec2.exceptions import InvalidSecurityGroupNotFoundError

    create = InvalidSecurityGroupNotFoundError.__init__

    def named(self: Any, name: Any) -> None:
        create(self, min(map(str, name)) if isinstance(name, set | list | tuple) else name)

    InvalidSecurityGroupNotFoundError.__init__ = named  # type: ignore[method-assign]

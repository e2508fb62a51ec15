"""moto answers a parameter of the root by the name that it stores, and refuses a list with a
secret that does not exist.

`/name` and `name` are one parameter, and AWS answers with the name that was asked for; a missing
secret is one of InvalidParameters (as recorded on AWS, docs/reference/probes.md, `localstack`).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "SSM: a parameter of the root has the name that was asked for, with or without the slash; "
    "GetParameters lists a secret that does not exist as invalid"
)


def apply() -> None:
    from moto.ssm.exceptions import ParameterNotFound
    from moto.ssm.models import SimpleSystemManagerBackend

    get_in_moto = SimpleSystemManagerBackend.get_parameter
    list_in_moto = SimpleSystemManagerBackend.get_parameters

    def get_parameter(self: Any, name: str) -> Any:
        found = get_in_moto(self, name)
        asked = name.partition(":")[0]
        if found is None or found.name == asked or found.name.strip("/") != asked.strip("/"):
            return found  # an ARN is answered with the stored name
        named = copy.copy(found)
        named.name = asked
        return named

    def get_parameters(self: Any, names: Sequence[str]) -> Any:
        there = []
        for name in names:
            try:
                # A secret is looked for by this question, which raises without it.
                self._strip_parameter_arn(name).partition(":")[0] in self._parameters  # noqa: B015
            except ParameterNotFound:
                continue
            there.append(name)
        return list_in_moto(self, there) if there else {}

    SimpleSystemManagerBackend.get_parameter = get_parameter  # type: ignore[method-assign]
    SimpleSystemManagerBackend.get_parameters = get_parameters  # type: ignore[method-assign]

"""moto answers a secret that is read through Parameter Store with the secret's name alone.

https://docs.aws.amazon.com/systems-manager/latest/userguide/integration-ps-secretsmanager.html
"""

from __future__ import annotations

import json
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SSM: a secret that is read as a parameter has the name that was asked for"
REPRODUCTION = """\
boto3.client("secretsmanager").create_secret(Name="secret", SecretString="value")
name = "/aws/reference/secretsmanager/secret"
found = boto3.client("ssm").get_parameter(Name=name, WithDecryption=True)["Parameter"]
assert found["Name"] == name, found
"""
_PREFIX = "/aws/reference/secretsmanager/"


def apply() -> None:
    from moto.ssm.models import ParameterDict

    find_in_moto = ParameterDict._get_secretsmanager_parameter

    def find(self: Any, secret_name: str) -> list[Any]:
        found = find_in_moto(self, secret_name)
        for parameter in found:
            parameter.name = _PREFIX + secret_name
            # As recorded on AWS: all keys but that of the ARN begin with a lowercase letter.
            parameter.source_result = json.dumps(
                {
                    key if key == "ARN" else key[:1].lower() + key[1:]: value
                    for key, value in json.loads(str(parameter.source_result)).items()
                }
            )
        return found

    ParameterDict._get_secretsmanager_parameter = find  # type: ignore[method-assign]

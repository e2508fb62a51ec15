"""moto's ListSecretVersionIds has an empty token, a name as ARN, no keys and no error."""

from __future__ import annotations

import json
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Secrets Manager: ListSecretVersionIds answers the secret's ARN, keys and no empty token"
)
REPRODUCTION = """\
secrets = boto3.client("secretsmanager")
secret = secrets.create_secret(Name="n", SecretString="one")
found = secrets.list_secret_version_ids(SecretId="n")
assert found["ARN"] == secret["ARN"]
assert "NextToken" not in found
"""
_DEFAULT_KEY = "DefaultEncryptionKey"


def apply() -> None:
    from moto.secretsmanager.exceptions import SecretNotFoundException
    from moto.secretsmanager.models import SecretsManagerBackend

    list_in_moto = SecretsManagerBackend.list_secret_version_ids

    def list_secret_version_ids(self: Any, secret_id: str) -> str:
        if secret_id not in self.secrets:
            raise SecretNotFoundException
        found = json.loads(list_in_moto(self, secret_id))
        found["ARN"] = self.secrets[secret_id].arn
        if not found.get("NextToken"):
            found.pop("NextToken", None)
        key = self.secrets[secret_id].kms_key_id or _DEFAULT_KEY
        for version in found["Versions"]:
            version["KmsKeyIds"] = [key]
        return json.dumps(found)

    SecretsManagerBackend.list_secret_version_ids = (  # type: ignore[method-assign]
        list_secret_version_ids
    )

"""moto's ListSecretVersionIds has an empty token and a name as ARN, which AWS's model forbids."""

from __future__ import annotations

import json
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Secrets Manager: ListSecretVersionIds answers, with the secret's ARN and no empty token"
)


def apply() -> None:
    from moto.secretsmanager.models import SecretsManagerBackend

    list_in_moto = SecretsManagerBackend.list_secret_version_ids

    def list_secret_version_ids(self: Any, secret_id: str) -> str:
        found = json.loads(list_in_moto(self, secret_id))
        found["ARN"] = self.secrets[secret_id].arn
        if not found.get("NextToken"):
            found.pop("NextToken", None)
        return json.dumps(found)

    SecretsManagerBackend.list_secret_version_ids = (  # type: ignore[method-assign]
        list_secret_version_ids
    )

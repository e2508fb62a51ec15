"""moto looks for a secret that is named by its ARN in the caller's account.

https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_examples_cross.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Secrets Manager: a secret that is named by its ARN is that of the ARN's account"


def apply() -> None:
    from moto.secretsmanager.models import secretsmanager_backends
    from moto.secretsmanager.responses import SecretsManagerResponse

    from clusterwright_localaws.services.secretsmanager.names import owner_of

    def backend(self: Any) -> Any:
        owner = owner_of(str(self._get_param("SecretId") or ""))
        return secretsmanager_backends[owner or self.current_account][self.region]

    SecretsManagerResponse.backend = property(backend)  # type: ignore[method-assign,assignment]

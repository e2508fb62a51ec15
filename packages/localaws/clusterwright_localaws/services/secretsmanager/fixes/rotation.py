"""moto rotates a secret by running its function in Docker, even with RotateImmediately=false."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Secrets Manager: RotateSecret stores the schedule and the function, which must exist, and "
    "rotates nothing, because no Lambda function runs here"
)


def apply() -> None:
    from moto.secretsmanager.models import SecretsManagerBackend

    from clusterwright_localaws.services.lambda_functions.fixes import no_execution

    # moto tests a rotation by running its function.
    no_execution.apply()
    rotate_in_moto = SecretsManagerBackend.rotate_secret

    def rotate_secret(
        self: Any,
        secret_id: str,
        client_request_token: str | None = None,
        rotation_lambda_arn: str | None = None,
        rotation_rules: dict[str, Any] | None = None,
        rotate_immediately: bool = True,
    ) -> str:
        if not runtime().active:
            return rotate_in_moto(
                self,
                secret_id,
                client_request_token,
                rotation_lambda_arn,
                rotation_rules,
                rotate_immediately,
            )
        before = dict(self.secrets[secret_id].versions) if secret_id in self.secrets else {}
        answer = rotate_in_moto(
            self, secret_id, client_request_token, rotation_lambda_arn, rotation_rules, False
        )
        # Without the pending version, which only a function could complete.
        self.secrets[secret_id].versions = before
        return answer

    SecretsManagerBackend.rotate_secret = rotate_secret  # type: ignore[method-assign]

"""moto's errors about values that are not there have status 404, and do not name the stage.

AWS's have status 400. moto also answers the value that was current before AWSCURRENT was moved.
https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Secrets Manager: errors have status 400 and name the stage that is not there; the current "
    "value is that of the version to which AWSCURRENT was moved"
)
REPRODUCTION = """\
secrets = boto3.client("secretsmanager")
first = secrets.create_secret(Name="secret", SecretString="first")["VersionId"]
second = secrets.put_secret_value(SecretId="secret", SecretString="second")["VersionId"]
secrets.update_secret_version_stage(
    SecretId="secret",
    VersionStage="AWSCURRENT",
    RemoveFromVersionId=second,
    MoveToVersionId=first,
)
assert secrets.get_secret_value(SecretId="secret")["SecretString"] == "first"
"""


def apply() -> None:
    from moto.secretsmanager import exceptions
    from moto.secretsmanager.models import SecretsManagerBackend

    for error in (
        exceptions.ResourceNotFoundException,
        exceptions.SecretNotFoundException,
        exceptions.SecretHasNoValueException,
        exceptions.SecretStageVersionMismatchException,
    ):
        error.__init__ = _with_status_400(error.__init__)  # type: ignore[method-assign]

    get_in_moto = SecretsManagerBackend.get_secret_value
    move_in_moto = SecretsManagerBackend.update_secret_version_stage

    def get_secret_value(self: Any, secret_id: str, version_id: str, version_stage: str) -> Any:
        secret = self.secrets[secret_id] if secret_id in self.secrets else None
        if secret is not None and version_stage and not version_id and not secret.is_deleted():
            stages = [one["version_stages"] for one in secret.versions.values()]
            if not any(version_stage in one for one in stages):
                raise exceptions.SecretHasNoValueException(version_stage)
        return get_in_moto(self, secret_id, version_id, version_stage)

    def update_secret_version_stage(
        self: Any,
        secret_id: str,
        version_stage: str,
        remove_from_version_id: str,
        move_to_version_id: str,
    ) -> tuple[str, str]:
        answer = move_in_moto(
            self, secret_id, version_stage, remove_from_version_id, move_to_version_id
        )
        if version_stage == "AWSCURRENT" and move_to_version_id:
            self.secrets[secret_id].default_version_id = move_to_version_id
        return answer

    SecretsManagerBackend.get_secret_value = get_secret_value  # type: ignore[method-assign]
    SecretsManagerBackend.update_secret_version_stage = (  # type: ignore[method-assign]
        update_secret_version_stage
    )


def _with_status_400(create: Any) -> Any:
    def create_with_status_400(self: Any, *arguments: Any) -> None:
        create(self, *arguments)
        self.code = 400

    return create_with_status_400

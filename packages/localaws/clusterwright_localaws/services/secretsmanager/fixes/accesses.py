"""moto lists every version as accessed now, those without a stage too, and no secret as accessed.

https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_ListSecretVersionIds.html
https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DescribeSecret.html
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Secrets Manager: a secret and a version have the day of their last access once they were "
    "read; versions without a stage are listed with IncludeDeprecated only, and not described"
)
_DAY_S = 86_400


def apply() -> None:
    from moto.secretsmanager.models import FakeSecret, SecretsManagerBackend
    from moto.secretsmanager.responses import SecretsManagerResponse

    read = SecretsManagerBackend.get_secret_value
    describe = FakeSecret.to_dict
    stages = FakeSecret._form_version_ids_to_stages
    listed = SecretsManagerResponse.list_secret_version_ids

    def get_secret_value(self: Any, secret_id: str, *arguments: Any, **named: Any) -> Any:
        found = read(self, secret_id, *arguments, **named)
        if runtime().active:
            day = runtime().clock.now().timestamp() // _DAY_S * _DAY_S
            secret = self.secrets[secret_id]
            secret.accessed = secret.versions[found["VersionId"]]["accessed"] = day
        return found

    def to_dict(self: Any) -> Any:
        found = describe(self)
        if runtime().active:
            found["LastAccessedDate"] = getattr(self, "accessed", None)
        return found

    def _form_version_ids_to_stages(self: Any) -> Any:
        found = stages(self)
        if not runtime().active:
            return found
        return {name: held for name, held in found.items() if held}

    def list_secret_version_ids(self: Any) -> str:
        answer: str = listed(self)
        if not runtime().active:
            return answer
        found = json.loads(answer)
        versions = self.backend.secrets[self._get_param("SecretId")].versions
        deprecated = self._get_param("IncludeDeprecated", if_none=False)
        found["Versions"] = [
            _dated(version, versions[version["VersionId"]])
            for version in found["Versions"]
            if deprecated or version["VersionStages"]
        ]
        return json.dumps(found)

    SecretsManagerBackend.get_secret_value = get_secret_value  # type: ignore[method-assign]
    FakeSecret.to_dict = to_dict  # type: ignore[method-assign]
    FakeSecret._form_version_ids_to_stages = (  # type: ignore[method-assign]
        _form_version_ids_to_stages
    )
    SecretsManagerResponse.list_secret_version_ids = (  # type: ignore[method-assign]
        list_secret_version_ids
    )


def _dated(listed: dict[str, Any], version: dict[str, Any]) -> dict[str, Any]:
    """Return a version of a list with its own dates; without stages it has no member for them."""
    found = {**listed, "CreatedDate": version["createdate"]}
    found.pop("LastAccessedDate", None)
    if "accessed" in version:
        found["LastAccessedDate"] = version["accessed"]
    if not found["VersionStages"]:
        del found["VersionStages"]
    return found

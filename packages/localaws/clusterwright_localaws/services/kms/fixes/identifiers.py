"""moto's messages about keys that do not exist, and about names of aliases, are not KMS's.

Some of its operations take no ARNs.

https://docs.aws.amazon.com/kms/latest/developerguide/kms-alias.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.kms import keys

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "KMS: a key that does not exist is refused with KMS's messages (Invalid keyId 'x', Invalid "
    "arn and the Region), and a new alias without alias/ too"
)
# Operations, by moto's names, whose first argument must be the id of a key.
_ONLY_IDS = ("disable_key", "enable_key", "update_key_description")


def apply() -> None:
    from moto.kms.models import KmsBackend
    from moto.kms.responses import KmsResponse

    validate = KmsResponse._validate_cmk_id
    set_alias = KmsResponse._set_alias

    def _validate_cmk_id(self: Any, key_id: str) -> None:
        if not runtime().active:
            return validate(self, key_id)
        prefix = self._display_arn("").rpartition(":key/")[0]
        problem = keys.problem_of(self.kms_backend, key_id, prefix, aliases=False)
        if problem:
            raise AwsError("NotFoundException", problem, 400)
        return None

    def _set_alias(self: Any, update: bool = False) -> str:
        if runtime().active and not self._get_param("AliasName").startswith("alias/"):
            raise AwsError(
                "ValidationException",
                'Alias must start with the prefix "alias/". Please see '
                "https://docs.aws.amazon.com/kms/latest/developerguide/kms-alias.html",
                400,
            )
        return str(set_alias(self, update))

    for name in _ONLY_IDS:
        setattr(KmsBackend, name, _taking_arns(getattr(KmsBackend, name)))
    KmsResponse._validate_cmk_id = _validate_cmk_id  # type: ignore[method-assign]
    KmsResponse._set_alias = _set_alias  # type: ignore[method-assign]


def _taking_arns(in_moto: Any) -> Any:
    def call(self: Any, key_id: str, *arguments: Any, **named: Any) -> Any:
        return in_moto(self, self.get_key_id(key_id), *arguments, **named)

    return call

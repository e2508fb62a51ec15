"""moto leaves the dates out of ListAliases.

https://docs.aws.amazon.com/kms/latest/APIReference/API_AliasListEntry.html
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "KMS: ListAliases answers the dates of creation and change"


def apply() -> None:
    from moto.kms.models import Alias, KmsBackend
    from moto.kms.responses import KmsResponse

    create = Alias.__init__
    update = KmsBackend.update_alias
    list_aliases = KmsResponse.list_aliases

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        create(self, *arguments, **named)
        self.creation_date = self.last_updated_date = runtime().clock.now().timestamp()

    def _update(self: Any, target_key_id: str, alias_name: str) -> Any:
        alias: Any = update(self, target_key_id, alias_name)
        alias.last_updated_date = runtime().clock.now().timestamp()
        return alias

    def _list(self: Any) -> str:
        answer = list_aliases(self)
        return _with_dates(self.kms_backend, answer) if runtime().active else answer

    Alias.__init__ = __init__  # type: ignore[method-assign]
    KmsBackend.update_alias = _update  # type: ignore[method-assign]
    KmsResponse.list_aliases = _list  # type: ignore[method-assign]


def _with_dates(backend: Any, answer: str) -> str:
    known = {alias.alias_name: alias for alias in backend.list_aliases()}
    found = json.loads(answer)
    for entry in found["Aliases"]:
        alias = known.get(entry["AliasName"])
        # Aliases of AWS that have no key yet were never created here.
        if alias is not None:
            # Services that encrypt create their key of AWS in moto, before this module is loaded.
            created = backend.keys[alias.target_key_id].creation_date
            entry["CreationDate"] = getattr(alias, "creation_date", created)
            entry["LastUpdatedDate"] = getattr(alias, "last_updated_date", created)
    return json.dumps(found)

"""moto forgets which tags of a session are transitive.

https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.sts.sessions import check_transitive

MOTO_VERSION = "5.2.5"
DESCRIPTION = "STS: a session cannot set a tag that is transitive in the session that assumes it"


def apply() -> None:
    from moto.sts.responses import TokenResponse

    in_moto = TokenResponse.assume_role

    def _assume_role(self: Any) -> Any:
        if not runtime().active:
            return in_moto(self)
        calling = self.backend.get_assumed_role_from_access_key(self.get_access_key())
        kept = getattr(calling, "transitive_tag_keys", ())
        check_transitive(kept, [tag["Key"] for tag in self._get_param("Tags") or ()])
        answer: Any = in_moto(self)
        named = self._get_param("TransitiveTagKeys") or ()
        answer.result["Credentials"].transitive_tag_keys = (*kept, *named)
        return answer

    TokenResponse.assume_role = _assume_role  # type: ignore[method-assign]

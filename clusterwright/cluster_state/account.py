"""Whether the credentials are those of the cluster's account.

What another account answers says nothing of the cluster: there, nothing is deployed.
"""

from __future__ import annotations

from typing import Final

from clusterwright.aws import sts
from clusterwright.cluster_state.not_read import NotRead

CALLER: Final = "whose the credentials are"
OTHER_ACCOUNT_HINT: Final = "use credentials of the cluster's account"


def other_account(caller: sts.Caller | NotRead | None, account: str) -> str | None:
    """Return why nothing can be read if the credentials are those of another account.

    None also where STS did not answer: what other services answer is read then.
    """
    if caller is None or isinstance(caller, NotRead) or caller.account == account:
        return None
    return f"the credentials are of account {caller.account}, the cluster is in {account}"

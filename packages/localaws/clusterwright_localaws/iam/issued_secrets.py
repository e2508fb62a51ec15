"""Secrets of access keys that the local IAM or STS issued."""

from __future__ import annotations

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam.callers import assumed_roles, sessions_of


def secret_of(runtime: Runtime, key: str) -> str | None:
    """Return the secret access key of an access key, or `None` if it was not issued here.

    Any access key is accepted where IAM is not enforced: the secrets of others are not known.
    """
    from moto.iam.models import iam_backends

    session = sessions_of(runtime).by_key.get(key)
    if session is not None:
        return session.secret_access_key
    for partitions in list(iam_backends.values()):
        for backend in list(partitions.values()):
            if key in backend.access_keys:
                return str(backend.access_keys[key].secret_access_key)
    for one in assumed_roles():
        if one.access_key_id == key:
            return str(one.secret_access_key)
    return None

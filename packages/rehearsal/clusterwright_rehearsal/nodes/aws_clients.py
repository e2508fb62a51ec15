"""boto3 clients of the local AWS: with all permissions, or with a node's role."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_RENEW_BEFORE = timedelta(minutes=10)


class AwsClients:
    """Clients of one account and region at an endpoint. Safe from several threads."""

    def __init__(self, endpoint: str, account: str, region: str) -> None:
        import boto3

        self._session = boto3.session.Session()
        self._endpoint = endpoint
        self._account = account
        self._region = region
        self._lock = threading.Lock()
        self._own: dict[str, Any] = {}
        self._roles: dict[tuple[str, str], tuple[datetime, Any]] = {}

    def client(self, service: str) -> Any:
        """A client with all permissions, like the service itself."""
        with self._lock:
            if service not in self._own:
                self._own[service] = self._make(service, self._account, "hyperpod", None)
            return self._own[service]

    def credentials(self, role_arn: str, session: str) -> Mapping[str, Any]:
        """`Credentials` of STS for a role; raises botocore's ClientError if STS refuses."""
        answer = self.client("sts").assume_role(RoleArn=role_arn, RoleSessionName=session)
        found: Mapping[str, Any] = answer["Credentials"]
        return found

    def client_of_role(self, service: str, role_arn: str) -> Any:
        """A client with the permissions of an instance's role."""
        key = (service, role_arn)
        with self._lock:
            ends, client = self._roles.get(key, (datetime.min.replace(tzinfo=UTC), None))
        if ends - datetime.now(UTC) > _RENEW_BEFORE:
            return client
        found = self.credentials(role_arn, "hyperpod")
        with self._lock:
            client = self._make(
                service,
                found["AccessKeyId"],
                found["SecretAccessKey"],
                found["SessionToken"],
            )
            self._roles[key] = (found["Expiration"], client)
        return client

    def client_of_session(self, service: str, role_arn: str, session: str) -> Any:
        """A client with the permissions of a role, in a session that PCS reads: it is not kept."""
        found = self.credentials(role_arn, session)
        with self._lock:
            return self._make(
                service,
                found["AccessKeyId"],
                found["SecretAccessKey"],
                found["SessionToken"],
            )

    def _make(self, service: str, key: str, secret: str, token: str | None) -> Any:
        from botocore.config import Config

        return self._session.client(
            service,
            region_name=self._region,
            endpoint_url=self._endpoint,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=Config(
                retries={"max_attempts": 1},
                s3={"addressing_style": "path"},
                max_pool_connections=32,
            ),
        )

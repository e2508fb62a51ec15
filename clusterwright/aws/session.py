"""Sessions and clients of AWS: standard retries, short timeouts, a bounded connection pool.

All settings are from the standard AWS configuration (profiles, environment, SSO, instance role,
`AWS_ENDPOINT_URL`), so that the local AWS is used like any other endpoint. Clients are those of
botocore, as in boto3: boto3 would add resources and S3 transfers, whose import takes as long as
creating all clients of a check.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from clusterwright.aws import user_cache
from clusterwright.aws.api_models import asks, read_models_small
from clusterwright.aws.errors import AwsUnavailable, unavailable

CONNECT_TIMEOUT_SECONDS: Final = 5
READ_TIMEOUT_SECONDS: Final = 20
# One attempt and three retries, with botocore's exponential back-off and jitter.
MAX_ATTEMPTS: Final = 4
MAX_POOL_CONNECTIONS: Final = 64
_TOKENS: Final = ("NextToken", "NextPageToken")
# Members by which services mark a truncated response.
_CONTINUED: Final = (
    "HasMoreResults",
    "IsTruncated",
    "NextMarker",
    "NextToken",
    "Truncated",
    "nextToken",
)


class AwsSession:
    """Creates botocore clients, one per service and region, from any thread.

    Parameters
    ----------
    region:
        The default region of clients; if None, that of the standard configuration.
    profile:
        A named profile; if None, that of the standard configuration.
    max_attempts:
        Attempts per call, including the first.

    Notes
    -----
    Nothing is imported or read before the first client is requested. Clients are thread-safe, but
    their creation is not, hence the lock.
    """

    def __init__(
        self,
        region: str | None = None,
        *,
        profile: str | None = None,
        connect_timeout_seconds: float = CONNECT_TIMEOUT_SECONDS,
        read_timeout_seconds: float = READ_TIMEOUT_SECONDS,
        max_attempts: int = MAX_ATTEMPTS,
        max_pool_connections: int = MAX_POOL_CONNECTIONS,
    ) -> None:
        self._region = region
        self._profile = profile
        self._connect_timeout_seconds = connect_timeout_seconds
        self._read_timeout_seconds = read_timeout_seconds
        self._max_attempts = max_attempts
        self._max_pool_connections = max_pool_connections
        self._lock = threading.RLock()
        self._botocore_session: Any = None
        self._whole_models: Any = None
        self._clients: dict[tuple[str, str | None, bool], Any] = {}
        self._last_asked: dict[int, tuple[str, str]] = {}
        self._counts: dict[int, int] = {}
        self._sent: dict[int, int] = {}

    @property
    def region(self) -> str | None:
        """The default region, or `None` if none is set."""
        if self._region is not None:
            return self._region
        try:
            name = self._session().get_config_variable("region")
        except Exception as error:
            raise unavailable(error, service="aws", operation="*", region=None) from error
        return str(name) if name else None

    def require_credentials(self, *, service: str, operation: str) -> None:
        """Look for credentials once, before many calls fail to find them.

        Raises
        ------
        AwsUnavailable
            There are none, or they cannot be read; the error names the call that needs them.
        """
        from botocore.exceptions import NoCredentialsError

        try:
            found = self._session().get_credentials()
            if found is None:
                raise NoCredentialsError
        except Exception as error:
            raise unavailable(
                error, service=service, operation=operation, region=self._region
            ) from error

    def client(self, service: str, region: str | None = None, *, operation: str = "*") -> Any:
        """Return the client of a service (by botocore's name), created once per region.

        `operation` is used in error messages; if it is not in `operations.py`, the client is a
        separate one with all operations of the service.

        Raises
        ------
        AwsUnavailable
            No region is set, the profile does not exist, or the service is unknown to botocore.
        """
        key = (service, region or self._region, operation != "*" and not asks(service, operation))
        found = self._clients.get(key)
        if found is not None:
            return found
        with self._lock:
            if key not in self._clients:
                try:
                    self._clients[key] = self._made(service, key[1], whole=key[2])
                except Exception as error:
                    raise unavailable(
                        error, service=service, operation=operation, region=key[1]
                    ) from error
            return self._clients[key]

    def call(
        self, service: str, operation: str, *, region: str | None = None, **parameters: Any
    ) -> Mapping[str, Any]:
        """Return the response of an operation with its API name (`DescribeSubnets`).

        Raises
        ------
        AwsUnavailable
            The request failed, or the response is incomplete; `is_not_found` identifies missing
            resources.
        """
        client = self.client(service, region, operation=operation)
        try:
            answer = getattr(client, _method(operation))(**parameters)
        except Exception as error:
            raise unavailable(
                error, service=service, operation=operation, region=_region_of(client)
            ) from error
        assert isinstance(answer, Mapping)
        for name in _CONTINUED:
            if answer.get(name):
                # A first page must not be treated as the complete response.
                raise AwsUnavailable(
                    service=service,
                    operation=operation,
                    region=_region_of(client),
                    reason="other",
                    detail=f"the response is truncated ({name}), and only its first page was read",
                )
        return answer

    def pages(
        self, service: str, operation: str, *, region: str | None = None, **parameters: Any
    ) -> Iterator[Mapping[str, Any]]:
        """Yield every page of a paginated operation.

        For operations without a paginator in botocore (FSx associations and tasks, Cost Explorer),
        the token is passed on here.

        Raises
        ------
        AwsUnavailable
            At any page: the pages before it are then incomplete and must be discarded.
        """
        client = self.client(service, region, operation=operation)
        try:
            if client.can_paginate(_method(operation)):
                yield from client.get_paginator(_method(operation)).paginate(**parameters)
            else:
                yield from _by_token(getattr(client, _method(operation)), parameters)
        except Exception as error:
            raise unavailable(
                error, service=service, operation=operation, region=_region_of(client)
            ) from error

    def items(
        self,
        service: str,
        operation: str,
        key: str,
        *,
        region: str | None = None,
        **parameters: Any,
    ) -> Iterator[Any]:
        """Every item of every page's list `key`. Raises as `pages` does."""
        for page in self.pages(service, operation, region=region, **parameters):
            yield from page[key]

    def asked_by(self, thread: int) -> tuple[str, str] | None:
        """Return service and operation of a thread's last call; None before the first."""
        return self._last_asked.get(thread)

    def asked_times(self, thread: int) -> int:
        """Return how many calls a thread has made, each page counted, without retries."""
        return self._counts.get(thread, 0)

    def sent_times(self, thread: int) -> int:
        """Return how many requests a thread has sent, including retries."""
        return self._sent.get(thread, 0)

    def _note_sending(self, **_: Any) -> None:
        thread = threading.get_ident()
        self._sent[thread] = self._sent.get(thread, 0) + 1

    def _note(self, model: Any, **_: Any) -> None:
        thread = threading.get_ident()
        self._last_asked[thread] = (str(model.service_model.service_name), str(model.name))
        self._counts[thread] = self._counts.get(thread, 0) + 1

    def _made(self, service: str, region: str | None, *, whole: bool) -> Any:
        session = self._session()
        usual = session.get_component("data_loader")
        if whole:
            session.register_component("data_loader", self._whole_models)
        try:
            return session.create_client(service, region_name=region, config=self._config())
        finally:
            session.register_component("data_loader", usual)

    def _session(self) -> Any:
        with self._lock:
            if self._botocore_session is None:
                from botocore.session import Session

                made = Session(profile=self._profile)
                kept = user_cache.folder(os.environ, "api-models")
                self._whole_models = read_models_small(made, kept)
                made.register("before-call", self._note)
                # Before any handler that responds instead of the network (moto).
                made.get_component("event_emitter").register_first(
                    "before-send", self._note_sending
                )
                self._botocore_session = made
            return self._botocore_session

    def _config(self) -> Any:
        from botocore.config import Config

        return Config(
            connect_timeout=self._connect_timeout_seconds,
            read_timeout=self._read_timeout_seconds,
            retries={"mode": "standard", "total_max_attempts": self._max_attempts},
            max_pool_connections=self._max_pool_connections,
            user_agent_extra="clusterwright",
        )


def _method(operation: str) -> str:
    from botocore import xform_name

    return str(xform_name(operation))


def _by_token(
    ask: Callable[..., Mapping[str, Any]], parameters: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield pages until a response has no token.

    A repeated token is an error: the result would be incomplete.
    """
    more: dict[str, Any] = {}
    seen: set[str] = set()
    while True:
        answer = ask(**parameters, **more)
        yield answer
        found = [(name, answer[name]) for name in _TOKENS if answer.get(name)]
        if not found:
            return
        if found[0][1] in seen:
            from botocore.exceptions import PaginationError

            raise PaginationError(message=f"the same {found[0][0]} was returned twice")
        more = dict(found[:1])
        seen.add(found[0][1])


def _region_of(client: Any) -> str | None:
    name = client.meta.region_name
    return str(name) if name else None

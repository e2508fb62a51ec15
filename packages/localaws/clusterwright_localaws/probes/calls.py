"""API calls of probes: boto3 clients without retries and without checks of their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from clusterwright_localaws.probes.library import operations
from clusterwright_localaws.probes.model import Call

# The tag of everything that a run creates; its value is the run's name.
TAG: Final = "localaws-verify"
_TIMEOUT_S: Final = 60


class NoAnswer(Exception):
    """The call has no answer: the endpoint was not reached, or what it sent is no answer."""


@dataclass(frozen=True)
class Answer:
    """What an endpoint answered: members, or the code and message of an error."""

    status: int
    members: Mapping[str, Any] = field(default_factory=dict)
    code: str | None = None
    message: str = ""


class Caller(Protocol):
    """Whatever answers API calls."""

    def __call__(self, call: Call) -> Answer:
        """Answer one call.

        Raises
        ------
        NoAnswer
            There is none.
        """
        ...  # pragma: no cover


class BotoCaller:
    """Calls an endpoint, AWS by default, with the credentials that boto3 finds.

    Parameters
    ----------
    endpoint:
        The URL of every service; None for what `AWS_ENDPOINT_URL` or AWS's defaults say.
    """

    def __init__(
        self,
        region: str | None,
        endpoint: str | None = None,
        profile: str | None = None,
        **credentials: str,
    ) -> None:
        import boto3

        self._session = boto3.Session(region_name=region, profile_name=profile, **credentials)
        self.region = str(self._session.region_name or "us-east-1")
        self._endpoint = endpoint
        self._clients: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __call__(self, call: Call) -> Answer:
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.parsers import ResponseParserError

        client = self.client(call.service)
        method = _methods(client)[call.operation]
        try:
            members = getattr(client, method)(**call.parameters)
        except ClientError as error:
            found = error.response.get("Error", {})
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            return Answer(status, code=found.get("Code", ""), message=found.get("Message", ""))
        except BotoCoreError as error:
            raise NoAnswer(str(error)) from error
        except ResponseParserError as error:
            raise NoAnswer("the answer cannot be read") from error
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            # botocore cannot read an answer that does not have the form of its model.
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        metadata = members.pop("ResponseMetadata", {})
        return Answer(metadata.get("HTTPStatusCode", 0), members)

    def client(self, service: str) -> Any:
        """Return the client of a service; it sends each request once."""
        from botocore.config import Config

        endpoint = self._endpoint or os.environ.get("AWS_ENDPOINT_URL")
        with self._lock:
            if service not in self._clients:
                config = Config(
                    retries={"total_max_attempts": 1},
                    parameter_validation=False,
                    connect_timeout=10,
                    read_timeout=_TIMEOUT_S,
                    s3={"addressing_style": "path"} if endpoint else {},
                )
                self._clients[service] = self._session.client(
                    service, self.region, endpoint_url=self._endpoint, config=config
                )
            return self._clients[service]


def tagged(call: Call, run: str) -> Call:
    """Return a call that creates with the run's tag, where its API takes tags."""
    row = operations().get(str(call))
    members = _members(call)
    tag_name = next((name for name in ("Tags", "tags", "TagList") if name in members), None)
    if row is None or row.undo is None:
        return call
    parameters = dict(call.parameters)
    if "TagSpecifications" in members and row.resource_type is not None:
        mine = {"ResourceType": row.resource_type, "Tags": [{"Key": TAG, "Value": run}]}
        parameters["TagSpecifications"] = _with_tag(parameters.get("TagSpecifications"), mine)
    elif tag_name is not None:
        shape = members[tag_name]
        given = parameters.get(tag_name)
        if shape.type_name == "map":
            parameters[tag_name] = {**(given or {}), TAG: run}
        elif shape.type_name == "list":
            key, value = list(shape.member.members)[:2]
            parameters[tag_name] = [*(given or []), {key: TAG, value: run}]
    return call.model_copy(update={"parameters": parameters})


def can_be_tagged(call: Call) -> bool:
    """Return whether the API of a call takes tags."""
    return any(name in _members(call) for name in ("Tags", "tags", "TagList", "TagSpecifications"))


def operation_exists(call: Call) -> bool:
    """Return whether botocore's model has the operation."""
    return call.operation in _model(call.service).operation_names


def _with_tag(given: Any, mine: dict[str, Any]) -> list[Any]:
    """Add a tag to the specification of its type: EC2 refuses a type that is named twice."""
    found = []
    merged = False
    for one in given or []:
        if isinstance(one, dict) and one.get("ResourceType") == mine["ResourceType"]:
            merged = True
            one = {**one, "Tags": [*one.get("Tags", []), *mine["Tags"]]}  # noqa: PLW2901
        found.append(one)
    return found if merged else [*found, mine]


def _members(call: Call) -> Mapping[str, Any]:
    shape = _model(call.service).operation_model(call.operation).input_shape
    return {} if shape is None else shape.members


def _model(service: str) -> Any:
    from botocore.model import ServiceModel

    from clusterwright_localaws.core.service_models import loader

    if service not in _models:
        _models[service] = ServiceModel(loader().load_service_model(service, "service-2"), service)
    return _models[service]


_models: dict[str, Any] = {}


def _methods(client: Any) -> dict[str, str]:
    """Operation -> name of the client's method."""
    return {operation: method for method, operation in client.meta.method_to_api_mapping.items()}

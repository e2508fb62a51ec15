"""boto3 clients whose requests are answered in this process by the local AWS's own backends.

CloudFormation creates every resource through such a client, so a resource in a template is refused
by the same code, with the same message, as a call of the API. No socket is opened: botocore
prepares the request as usual (validation and serialisation included), and moto's URL tables answer
it.

Works inside `clusterwright localaws`, inside `moto.mock_aws()`, and without either.
"""

from __future__ import annotations

import functools
import re
import threading
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.iam.inside import inside

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest, AWSResponse
    from botocore.client import BaseClient
    from botocore.session import Session

ACCOUNT_HEADER = "x-moto-account-id"
SOURCE_HEADER = "x-clusterwright-source"
_ACCOUNT = re.compile(r"\d{12}")

_clients: dict[tuple[str, str, str], BaseClient] = {}
_lock = threading.Lock()


def client(service: str, *, account: str, region: str) -> Any:
    """Return the boto3 client of `service` for one account and region of the local AWS.

    Clients are cached until the process ends and hold no state of the local AWS.

    Parameters
    ----------
    service:
        boto3's name of the service, for example ``ec2`` or ``sagemaker``.
    account:
        The 12-digit account that the calls are made in.
    region:
        The region that the calls are made in.

    Raises
    ------
    ValueError
        `account` is not a 12-digit number.
    """
    if not _ACCOUNT.fullmatch(account):
        raise ValueError(f"an account is 12 digits, not {account!r}")
    key = (service, account, region)
    with _lock:
        found = _clients.get(key)
        if found is None:
            found = _clients[key] = _build(service, account, region)
        return found


def _build(service: str, account: str, region: str) -> BaseClient:
    from botocore.config import Config

    built: BaseClient = _session().create_client(
        service,
        region_name=region,
        aws_access_key_id=account,
        aws_secret_access_key="local",  # noqa: S106 - never checked
        endpoint_url=_url(service, region),
        config=Config(
            retries={"total_max_attempts": 1},
            ignore_configured_endpoint_urls=True,
            # Path style, so that one URL table serves every bucket name.
            s3={"addressing_style": "path"} if service == "s3" else None,
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )

    def send(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        request.headers[ACCOUNT_HEADER] = account
        request.headers[SOURCE_HEADER] = "cloudformation"
        # moto knows the control plane of S3 by the host with an account only, which botocore
        # does not use for directory buckets.
        request.url = request.url.replace("//s3-control.", f"//{account}.s3-control.")
        # If IAM is enforced, the call is made on behalf of the caller of our service.
        with inside():
            return _answer(request)

    service_id = str(built.meta.service_model.service_id)

    def name_service(parsed: dict[str, Any], **_: Any) -> None:
        # An exception of botocore does not say which service refused.
        parsed.setdefault("ResponseMetadata", {})["ServiceId"] = service_id

    built.meta.events.register_first("before-send", send)
    built.meta.events.register("after-call", name_service)
    return built


def _url(service: str, region: str) -> str | None:
    """Return the one host of S3 that moto answers for every kind of bucket; None elsewhere."""
    hosts = {"s3": "s3", "s3control": "s3-control"}
    if service not in hosts:
        return None
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"https://{hosts[service]}.{region}.{suffix}"


@functools.cache
def _session() -> Session:
    """Return the botocore session of all clients; it caches the models that it has read.

    It is separate from the caller's profile and environment and from moto's patched default
    session, which must not change where these requests go.
    """
    import botocore.session
    from moto.core.models import botocore_stubber

    from clusterwright_localaws.core.service_models import loader

    session = botocore.session.Session(
        session_vars={"profile": (None, None, None, None), "config_file": (None, None, "", None)}
    )
    session.register_component("data_loader", loader())
    # Every handler of a request is called, also after one has responded: with moto's handler and
    # ours, each call would be made twice inside `mock_aws()`.
    session.unregister("before-send", botocore_stubber)
    # Directory buckets are called like other buckets: without their own session or host.
    session.set_config_variable("s3_disable_express_session_auth", True)
    return session


def _answer(request: AWSPreparedRequest) -> AWSResponse:
    """Dispatch one prepared request; an API that is not implemented is an error, not a retry."""
    from botocore.awsrequest import AWSResponse as Response
    from moto.core.botocore_stubber import BotocoreStubber, MockRawResponse

    answer = BotocoreStubber().process_request(request)
    if answer is None:
        raise NotImplementedError(f"the local AWS does not serve {request.url}")
    status, headers, body = answer
    return Response(request.url, status, headers, MockRawResponse(body))

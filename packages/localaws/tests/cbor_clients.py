"""boto3's clients with Smithy's RPC v2 CBOR, which botocore has and does not prefer."""

from __future__ import annotations

from typing import Any

from botocore.serialize import create_serializer

from clusterwright_localaws.server.wire import CBOR_PROTOCOL


def with_cbor(client: Any) -> Any:
    """Let a new client of boto3 send and read CBOR; return it."""
    client.meta.service_model.__dict__["resolved_protocol"] = CBOR_PROTOCOL
    # As botocore builds it: the client has checked the parameters already.
    client._serializer = create_serializer(CBOR_PROTOCOL, False)
    sent = "before-send." + client.meta.service_model.service_id.hyphenize()
    client.meta.events.register_first(sent, _is_cbor)
    return client


def _is_cbor(request: Any, **_: Any) -> None:
    assert request.headers["smithy-protocol"] in ("rpc-v2-cbor", b"rpc-v2-cbor")

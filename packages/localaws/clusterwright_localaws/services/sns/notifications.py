"""The JSON that subscribers get: its members, their order and the signature.

https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html and
sns-verify-signature-of-message.html: version 1, with SHA-1, is the default. Messages of FIFO
topics are not signed, as recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timestamps import with_milliseconds

_SIGNED: Final = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": (
        "Message",
        "MessageId",
        "SubscribeURL",
        "Timestamp",
        "Token",
        "TopicArn",
        "Type",
    ),
}
_SIGNED_ALSO: Final = {"UnsubscribeConfirmation": "SubscriptionConfirmation"}
_ORDER: Final = (
    "Type",
    "MessageId",
    "SequenceNumber",
    "Token",
    "TopicArn",
    "Subject",
    "Message",
    "SubscribeURL",
    "Timestamp",
    "SignatureVersion",
    "Signature",
    "SigningCertURL",
    "UnsubscribeURL",
    "MessageAttributes",
)


def service_url(region: str) -> str:
    """Return the address of SNS that clients of this server reach; in process, AWS's."""
    return runtime().address or f"https://sns.{region}.amazonaws.com"


def unsubscribe_url(subscription: Any) -> str:
    """Return the address that ends a subscription when it is visited."""
    region = subscription.topic.sns_backend.region_name
    return f"{service_url(region)}/?Action=Unsubscribe&SubscriptionArn={subscription.arn}"


def signed(topic: Any, members: Mapping[str, Any]) -> str:
    """Return a message as JSON, with its time and signature.

    Parameters
    ----------
    topic
        moto's topic, whose attribute SignatureVersion says how to sign.
    members
        The members except `Timestamp`, `TopicArn` and those of the signature; None is left out.
    """
    written = {name: value for name, value in members.items() if value is not None}
    written["TopicArn"] = topic.arn
    written["Timestamp"] = with_milliseconds(runtime().clock.now())
    if not topic.fifo_topic:
        written |= _signature(topic, written)
    lines = (
        f"  {json.dumps(name)} : {_text(written[name])}" for name in _ORDER if name in written
    )
    return "{\n" + ",\n".join(lines) + "\n}"


def _text(value: Any) -> str:
    if not isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    lines = (
        f"    {json.dumps(name)} : {json.dumps(one, separators=(',', ':'), ensure_ascii=False)}"
        for name, one in value.items()
    )
    return "{\n" + ",\n".join(lines) + "\n  }"


def _signature(topic: Any, written: Mapping[str, Any]) -> dict[str, str]:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    key, url = _certificate(topic.sns_backend)
    version = str(getattr(topic, "signature_version", "") or "1")
    algorithm = hashes.SHA256() if version == "2" else hashes.SHA1()  # noqa: S303  AWS's own
    names = _SIGNED[_SIGNED_ALSO.get(written["Type"], written["Type"])]
    text = "".join(f"{name}\n{written[name]}\n" for name in names if name in written)
    signature = key.sign(text.encode(), padding.PKCS1v15(), algorithm)
    return {
        "SignatureVersion": version,
        "Signature": base64.b64encode(signature).decode(),
        "SigningCertURL": url,
    }


def _certificate(backend: Any) -> tuple[Any, str]:
    """Return the key of an account and region, and the URL of its certificate."""
    if not hasattr(backend, "signing"):
        backend.signing = _made(backend.region_name)
    found: tuple[Any, str] = backend.signing
    return found


def _made(region: str) -> tuple[Any, str]:
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.x509.oid import NameOID
    from moto.core import DEFAULT_ACCOUNT_ID
    from moto.sns.models import sns_backends

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=365))
        .sign(key, hashes.SHA256())
    )
    file = f"SimpleNotificationService-{uuid.uuid4().hex}.pem"
    # The URL names no account: moto looks in this one.
    kept = sns_backends[DEFAULT_ACCOUNT_ID][region]._message_public_keys
    kept[file] = certificate.public_bytes(serialization.Encoding.PEM)
    return key, f"https://sns.{region}.amazonaws.com/{file}"

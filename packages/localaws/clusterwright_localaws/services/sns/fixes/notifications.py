"""moto signs every message as version 2, also of FIFO topics, each with a key of its own.

https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html: version 1, with
SHA-1, is the default. Members as recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "SNS: messages have the signature version of their topic, a signature of all that is signed, "
    "and the ARN of their subscription; those of FIFO topics have none"
)
_SIGNED = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
_OF_SIGNATURE = ("Signature", "SignatureVersion", "SigningCertURL")


def apply() -> None:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding
    from moto.sns.models import Subscription

    in_moto = Subscription.get_post_data

    def get_post_data(self: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
        found: dict[str, Any] = in_moto(self, *arguments, **named)
        if not runtime().active:
            return found
        topic = self.topic
        region = topic.sns_backend.region_name
        _share_certificate(topic.sns_backend, found)
        found["UnsubscribeURL"] = (
            f"https://sns.{region}.amazonaws.com/?Action=Unsubscribe&SubscriptionArn={self.arn}"
        )
        if topic.fifo_topic:
            return {name: value for name, value in found.items() if name not in _OF_SIGNATURE}
        version = str(getattr(topic, "signature_version", "") or "1")
        algorithm = hashes.SHA256() if version == "2" else hashes.SHA1()  # noqa: S303  AWS's own
        text = "".join(f"{name}\n{found[name]}\n" for name in _SIGNED if name in found)
        signature = self.private_key().sign(text.encode(), padding.PKCS1v15(), algorithm)
        return {
            **found,
            "SignatureVersion": version,
            "Signature": base64.b64encode(signature).decode(),
        }

    key_in_moto = Subscription.private_key

    def private_key(self: Any) -> Any:
        if not runtime().active:
            return key_in_moto(self)
        backend = self.topic.sns_backend
        if not hasattr(backend, "signing_key"):
            backend.signing_key = key_in_moto(self)
        return backend.signing_key

    Subscription.get_post_data = get_post_data  # type: ignore[method-assign]
    Subscription.private_key = private_key  # type: ignore[assignment,method-assign]


def _share_certificate(backend: Any, found: dict[str, Any]) -> None:
    """Sign all messages of a region with one certificate; moto makes one for each message."""
    from moto.core import DEFAULT_ACCOUNT_ID
    from moto.sns.models import sns_backends

    url = getattr(backend, "signing_url", None)
    if url is None:
        backend.signing_url = found["SigningCertURL"]
        return
    kept = sns_backends[DEFAULT_ACCOUNT_ID][backend.region_name]._message_public_keys
    kept.pop(found["SigningCertURL"].rsplit("/", 1)[-1], None)
    found["SigningCertURL"] = url

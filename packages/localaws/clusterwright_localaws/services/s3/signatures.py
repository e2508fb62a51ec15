"""What a signature of a presigned URL or a form must be, and its refusal.

https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html
Refusals recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, unquote, unquote_plus, urlsplit

from botocore.auth import HmacV1QueryAuth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.compat import HTTPHeaders
from botocore.credentials import Credentials

from clusterwright_localaws.core.credentials import access_key_of
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.iam.issued_secrets import secret_of

_UNRESERVED: Final = "-_.~"
_DIGEST: Final = "x-amz-content-sha256"
# Of version 2: parameters of the signature itself, and the headers that it covers by name.
_OF_THE_SIGNATURE: Final = frozenset({"signature", "awsaccesskeyid", "expires"})
_COVERED: Final = frozenset({"content-md5", "content-type"})
_SCOPE_PARTS: Final = 5


def check_signed_url(request: Any, bucket: str) -> None:
    """Check the signature in the URL of a request, if it has one.

    The signature itself is compared if the access key was issued here; other secrets are unknown.

    Raises
    ------
    AwsError
        AuthorizationQueryParametersError, AccessDenied, SignatureDoesNotMatch
    """
    if "X-Amz-Credential" not in request.args and "AWSAccessKeyId" not in request.args:
        return
    signed = Signed(
        request.method,
        request.raw_path,
        request.query_string.decode("latin-1"),
        list(request.headers.items()),
        bucket,
    )
    signed.check_headers()
    secret = secret_of(runtime(), access_key_of(request) or "")
    if secret is not None:
        signed.check_signature(secret)


class Signed:
    """A request whose URL was signed.

    Parameters
    ----------
    path, query:
        As they arrived, percent-encoded.
    headers:
        All headers, `host` among them; a header may occur twice.
    bucket:
        Its name, which version 2 signs as the beginning of the path.
    """

    def __init__(
        self, method: str, path: str, query: str, headers: list[tuple[str, str]], bucket: str
    ) -> None:
        self.method, self.path, self.bucket = method, path, bucket
        self.pairs = [_pair(part) for part in query.split("&") if part]
        self.query = dict(self.pairs)
        self.headers = [(name.lower(), _as_sent(value)) for name, value in headers]

    def check_headers(self) -> None:
        """Check the scope of a signature of version 4, and that all headers of AWS are signed.

        Raises
        ------
        AwsError
            AuthorizationQueryParametersError, AccessDenied
        """
        if "X-Amz-Credential" not in self.query:
            return
        _scope(self.query["X-Amz-Credential"])
        signed = self._signed_names()
        missing = {
            name
            for name, _ in self.headers
            if name.startswith("x-amz-") and name not in signed and name != _DIGEST
        }
        if missing:
            raise AwsError(
                "AccessDenied",
                "There were headers present in the request which were not signed",
                403,
                HeadersNotSigned=", ".join(sorted(missing)),
            )

    def check_signature(self, secret: str) -> None:
        """Compare the signature with that of a secret access key.

        Raises
        ------
        AwsError
            SignatureDoesNotMatch
        """
        if "X-Amz-Credential" in self.query:
            self._check_version_4(secret)
        else:
            self._check_version_2(secret)

    def _signed_names(self) -> list[str]:
        return self.query.get("X-Amz-SignedHeaders", "").lower().split(";")

    def _check_version_4(self, secret: str) -> None:
        key, date, region, service = _scope(self.query["X-Amz-Credential"])
        signed, found = HTTPHeaders(), dict(self.headers)
        for name in self._signed_names():
            given = [value for one, value in self.headers if one == name]
            # Some SDKs move a signed header to the query.
            for value in given or [self._in_query(name)]:
                signed[name] = value
        digest = found.get(_DIGEST) if _DIGEST in signed else self._in_query(_DIGEST)
        signer = _Version4(Credentials(key, secret), service, region, digest)
        query = "&".join(
            f"{quote(name, safe=_UNRESERVED)}={quote(value, safe=_UNRESERVED)}"
            for name, value in self.pairs
            if name != "X-Amz-Signature"
        )
        path = quote(unquote(self.path), safe="/" + _UNRESERVED)
        request = AWSRequest(self.method, f"http://host{path}?{query}", signed)
        request.context["timestamp"] = self.query.get("X-Amz-Date", date)
        canonical = signer.canonical_request(request)
        text = signer.string_to_sign(request, canonical)
        given_signature = self.query.get("X-Amz-Signature", "")
        expected = signer.signature(text, request)
        if not hmac.compare_digest(expected.encode(), given_signature.encode()):
            raise mismatch(
                key,
                text,
                given_signature,
                CanonicalRequest=canonical,
                CanonicalRequestBytes=_bytes(canonical),
            )

    def _in_query(self, header: str) -> str:
        return next((value for name, value in self.pairs if name.lower() == header), "")

    def _check_version_2(self, secret: str) -> None:
        key = self.query["AWSAccessKeyId"]
        headers = HTTPHeaders()
        for name, value in self._version_2_headers().items():
            headers[name] = value
        path = self.path
        if path.lstrip("/").split("/", 1)[0] != self.bucket and self.bucket:
            path = f"/{self.bucket}{path}"
        query = "&".join(
            f"{name}={quote(value, safe=_UNRESERVED)}" if value else name
            for name, value in self.pairs
            if name.lower() not in _OF_THE_SIGNATURE
        )
        signer = _Version2(Credentials(key, secret), self.query.get("Expires", ""))
        # Of a bucket in the path, botocore signs a slash at the end that the URL does not have.
        paths = [path, f"{path}/"] if path == f"/{self.bucket}" else [path]
        texts = [
            signer.canonical_string(self.method, urlsplit(f"http://host{one}?{query}"), headers)
            for one in paths
        ]
        # A plus sign of Base64 that was not encoded arrives as a space.
        given = self.query.get("Signature", "").replace(" ", "+")
        if not any(
            hmac.compare_digest(signer.sign_string(text).encode(), given.encode())
            for text in texts
        ):
            raise mismatch(key, texts[0], given)

    def _version_2_headers(self) -> dict[str, str]:
        """Return the headers that version 2 signs; some SDKs move them to the query."""
        found: dict[str, str] = {}
        for name, value in (*self.pairs, *self.headers):
            if name.lower().startswith("x-amz-") or name.lower() in _COVERED:
                found[name.lower()] = value
        return found


class _Version4(S3SigV4QueryAuth):  # type: ignore[misc]
    """The signature of exactly the headers of the request; the SDK leaves some out."""

    def __init__(self, credentials: Any, service: str, region: str, digest: str | None) -> None:
        super().__init__(credentials, service, region)
        self._digest = digest

    def headers_to_sign(self, request: Any) -> HTTPHeaders:
        return request.headers

    def payload(self, request: Any) -> str:
        return self._digest or str(super().payload(request))


class _Version2(HmacV1QueryAuth):  # type: ignore[misc]
    def _get_date(self) -> str:
        return str(self._expires)


def check_form_signature(fields: Mapping[str, str]) -> None:
    """Compare the signature of a form's policy, if the access key was issued here.

    Parameters
    ----------
    fields:
        The fields of the form, names in lower case; those of one signature are complete.

    Raises
    ------
    AwsError
        SignatureDoesNotMatch
    """
    scope = fields.get("x-amz-credential", "").split("/")
    key = scope[0] or fields.get("awsaccesskeyid", "")
    secret = secret_of(runtime(), key)
    if secret is None:
        return
    policy = fields["policy"]
    if len(scope) == _SCOPE_PARTS:
        request = AWSRequest()
        request.context["timestamp"] = scope[1]
        signer = _Version4(Credentials(key, secret), scope[3], scope[2], None)
        given, expected = fields["x-amz-signature"], signer.signature(policy, request)
    else:
        given = fields.get("signature", "")
        expected = _Version2(Credentials(key, secret), "").sign_string(policy)
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise mismatch(key, policy, given)


def mismatch(key: str, text: str, given: str, **more: Any) -> AwsError:
    """Return the refusal of a signature that is not the one of a text."""
    return AwsError(
        "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided. Check "
        "your key and signing method.",
        403,
        AWSAccessKeyId=key,
        StringToSign=text,
        SignatureProvided=given,
        StringToSignBytes=_bytes(text),
        **more,
    )


def _scope(credential: str) -> tuple[str, str, str, str]:
    """Return the key, date, region and service of a credential of version 4."""
    parts = credential.split("/")
    if len(parts) != _SCOPE_PARTS:
        raise AwsError(
            "AuthorizationQueryParametersError",
            "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; "
            'expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
            400,
        )
    return parts[0], parts[1], parts[2], parts[3]


def _pair(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return unquote_plus(name), unquote_plus(value)


def _as_sent(value: str) -> str:
    """Return a header as its sender wrote it: WSGI decodes bytes as Latin-1."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def _bytes(text: str) -> str:
    return text.encode().hex(" ")

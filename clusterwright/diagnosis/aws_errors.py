"""What the error codes of AWS's services mean, by the words that their names are made of.

Source: the models of the services in botocore (shapes that are exceptions) and the common errors
of the API references (read 2026-11).
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.wording import meaning_of

CAPACITY: Final = (
    r"Insufficient\w*Capacity|\w*CapacityNotAvailable|UnfulfillableCapacity|"
    r"InsufficientHostCapacity|SpotMaxPrice|CapacityExceeded|NoCapacity"
)
"""Words of codes that say that AWS has no capacity."""

CODES: Final = (
    (
        r"^40[13]$|AccessDenied|Unauthorized|NotAuthorized|Forbidden|AuthFailure|Authorization",
        "access is denied",
    ),
    (
        r"ExpiredToken|TokenExpired|InvalidClientToken|UnrecognizedClient|SignatureDoesNotMatch|"
        r"InvalidAccessKey|MissingAuthentication|RequestExpired|InvalidIdentityToken|IDPRejected|"
        r"IDPCommunication|InvalidGrant",
        "the credentials are missing, invalid or have expired",
    ),
    (
        r"RequestTimeTooSkewed|NotYetValid",
        "the node's clock differs from the time of AWS",
    ),
    (
        r"Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|RateExceeded|"
        r"BandwidthLimit|ProvisionedThroughput",
        "too many requests at once (throttled)",
    ),
    (
        CAPACITY,
        "there is no capacity for what is asked",
    ),
    (
        r"Quota|LimitExceeded|LimitReached|MaxEntries|TooMany|MaximumExceeded|ServiceLimit",
        "a quota or limit of the account is reached",
    ),
    (
        r"KMS\w*|Kms\w*|DisabledException|InvalidKeyUsage|KeyUnavailable",
        "the KMS key cannot be used: its state, its policy or its region",
    ),
    (
        r"NotFound|NoSuch|DoesNotExist|Unknown(?:Resource|Snapshot|Volume)|\.Malformed|NotExist",
        "something that the request names does not exist, or is in another account or region",
    ),
    (
        r"AlreadyExists|InUse|Conflict|Duplicate|IncorrectState|InvalidState\w*|IncorrectInstance|NotConnected|"
        r"DependencyViolation|OperationInProgress|ConcurrentModification|OperationAborted|"
        r"ResourceNotReady|Busy",
        "something exists already, is in use or is in a state that does not allow the request",
    ),
    (
        r"OptIn|NotSubscribed|Subscription|PendingVerification|Blocked|UnsupportedRegion",
        "the region, service or subscription is not enabled for the account",
    ),
    (
        r"^50\d$|InternalFailure|InternalError|InternalServ\w+|ServiceUnavailable|Unavailable|ServerException",
        "the service failed internally; the same request may succeed later",
    ),
    (r"^NetworkConnection$", "the connection failed or was too slow"),
    (
        r"RequestTimeout|Timeout|IncompleteBody|BadDigest|ConnectionClosed",
        "the transfer was broken or too slow",
    ),
    (
        r"^(?:400|301|412|416)$|Invalid|Validation|Malformed|Missing|BadRequest|Unsupported|NotSupported|Parameter|"
        r"Illegal|EntityTooLarge|TooLarge|TooLong|Constraint|Redirect|Encoding|Syntax|Mismatch",
        "invalid request",
    ),
)
"""Words of codes of one kind, and what is wrong."""

_NAMED: Final = re.compile(
    r"arn:aws[\w-]*:[\w:/.@+=,-]{6,160}|s3://[\w./-]{3,120}|\b(?:i|ami|subnet|sg|vpc|fs|lt|cr|vol|"
    r"eni|eipalloc|snap)-[0-9a-f]{8,17}\b"
)


def meaning(code: str) -> str | None:
    """What an error code means; None for a name without such words."""
    return meaning_of(CODES, code)


def cause(values: Values) -> str | None:
    """The cause of an error of AWS that a program prints, with the resource that it names."""
    code = values.get("code", "")
    if code.isupper() and code.replace("_", "").isalpha():
        # Names of the SDK for C++ (NO_SUCH_BUCKET).
        code = "".join(word.capitalize() for word in code.split("_"))
    said = meaning(code)
    if said is None:
        return None
    message = values.get("message", "").strip(" .\"'")
    named = _NAMED.search(message)
    operation = values.get("operation")
    where = f" ({operation})" if operation else ""
    on = f" on {named.group(0)}" if named else ""
    return f"AWS: {said}{where}{on}: {code}{': ' + message if message else ''}"


def waiter(values: Values) -> str:
    """The cause of a botocore waiter's end: what did not come into the state waited for."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", values["waiter"])
    return f"AWS: what a program waits for ({words}) did not happen: {values['message']}"

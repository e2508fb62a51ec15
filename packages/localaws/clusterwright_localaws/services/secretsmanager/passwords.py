"""Random passwords; moto fails where no character of a type is left.

https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetRandomPassword.html
"""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError

# The characters that the documentation of the exclusions names.
_TYPES: Final = {
    "ExcludeLowercase": string.ascii_lowercase,
    "ExcludeUppercase": string.ascii_uppercase,
    "ExcludeNumbers": string.digits,
    "ExcludePunctuation": string.punctuation,
}
_LENGTH: Final = 32


@operation("secretsmanager", "GetRandomPassword")
def get_random_password(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    excluded = set(request.get("ExcludeCharacters") or "")
    types = [each for name, each in _TYPES.items() if not request.get(name)]
    types += [" "] if request.get("IncludeSpace") else []
    left = [[one for one in each if one not in excluded] for each in types]
    required = left if request.get("RequireEachIncludedType", True) else []
    if not any(left) or not all(required):
        # The text is ours.
        raise _invalid("No character is left of a required type of characters.")
    length = request.get("PasswordLength") or _LENGTH
    if length < len(required):
        raise _invalid("Password length is too short based on the required types.")
    chosen = random.SystemRandom()
    every = [one for each in left for one in each]
    found = [chosen.choice(each) for each in required]
    found += [chosen.choice(every) for _ in range(length - len(found))]
    chosen.shuffle(found)
    return {"RandomPassword": "".join(found)}


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterException", message)

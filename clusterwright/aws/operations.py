"""The operations that this package calls, by botocore's name of the service.

Clients of these services are created with these operations only (`api_models`); a call of another
one works too, with a client of the whole service. STS is kept whole, since botocore calls it by
itself for credentials. `python -m tools.docs aws-operations` generates the file from the code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

ALL: Final = "*"

OPERATIONS: Final[dict[str, tuple[str, ...]]] = {
    service: tuple(names)
    for service, names in json.loads(
        Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    ).items()
}

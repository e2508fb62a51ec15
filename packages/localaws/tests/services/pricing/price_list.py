"""Products of the Price List Query API."""

from __future__ import annotations

import json
from typing import Any

from packages.localaws.tests.parts import client


def products(service: str, _type: str = "TERM_MATCH", **filters: str) -> list[dict[str, Any]]:
    pages = client("pricing").get_paginator("get_products")
    asked = [{"Type": _type, "Field": f, "Value": v} for f, v in filters.items()]
    return [
        json.loads(document)
        for page in pages.paginate(ServiceCode=service, Filters=asked)
        for document in page["PriceList"]
    ]

"""Exports of stacks and the stacks that import them.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.api.common import store_of
from clusterwright_localaws.cloudformation.describing import compact, page
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.core.call import Call, operation


@operation("cloudformation", "ListExports")
def list_exports(call: Call) -> Mapping[str, Any]:
    exports = [
        {"ExportingStackId": stack.stack_id, "Name": name, "Value": value}
        for name, value, stack in store_of(call).exports()
    ]
    found, more = page(sorted(exports, key=lambda one: one["Name"]), call)
    return compact(Exports=found, NextToken=more)


@operation("cloudformation", "ListImports")
def list_imports(call: Call) -> Mapping[str, Any]:
    store, name = store_of(call), call.parameters["ExportName"]
    if store.exporter(name) is None:
        raise ValidationError(f"Export '{name}' does not exist.")
    importers = store.importers(name)
    if not importers:
        raise ValidationError(f"Export '{name}' is not imported by any stack.")
    found, more = page(importers, call)
    return compact(Imports=found, NextToken=more)

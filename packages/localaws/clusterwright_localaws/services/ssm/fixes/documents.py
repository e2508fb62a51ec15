"""moto answers with platform types of documents that are no values of AWS's model."""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "SSM: documents have the platform types that AWS lists, so that CreateDocument and "
    "DescribeDocument work (preferences of Session Manager are a document)"
)
REPRODUCTION = """\
import json

content = {"schemaVersion": "1.0", "sessionType": "Standard_Stream", "inputs": {}}
ssm = boto3.client("ssm")
made = ssm.create_document(Name="document", DocumentType="Session", Content=json.dumps(content))
assert set(made["DocumentDescription"]["PlatformTypes"]) == {"Windows", "Linux", "MacOS"}
"""
_TYPES = ["Windows", "Linux", "MacOS"]


def apply() -> None:
    from moto.ssm.models import Document

    create_in_moto = Document.__init__

    def create(self: Any, *arguments: Any, **named: Any) -> None:
        create_in_moto(self, *arguments, **named)
        if "Not Implemented" in str(self.platform_types):
            self.platform_types = list(_TYPES)

    Document.__init__ = create  # type: ignore[method-assign]

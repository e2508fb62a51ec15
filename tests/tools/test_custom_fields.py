"""Definitions of custom resources are condensed to the form of Kubernetes' own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.custom_fields import main

DEFINITION = """
kind: CustomResourceDefinition
spec:
  group: example.org
  names: {kind: Training}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          status: {type: object}
          spec:
            properties:
              replicas: {type: integer}
              share: {x-kubernetes-int-or-string: true}
              anything: {x-kubernetes-preserve-unknown-fields: true}
              words: {type: array, items: {type: string}}
              roles:
                type: object
                additionalProperties:
                  properties:
                    template:
                      properties:
                        metadata: {type: object}
                        spec: {properties: {containers: {type: array, items: {type: string}}}}
  - name: v1alpha1
    deprecated: true
    schema: {openAPIV3Schema: {properties: {}}}
"""


def test_definition_of_a_custom_resource(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "training.yaml").write_text(DEFINITION)
    assert main([f"example/training 1.0={tmp_path}"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["source"] == "example/training 1.0"
    assert found["kinds"] == {
        "example.org/v1 Training": "example.org.v1.Training",
        "example.org/v1alpha1 Training": "",
    }
    assert found["definitions"]["example.org.v1.TrainingSpec"] == {
        "anything": "any",
        "replicas": "integer",
        "roles": "{example.org.v1.TrainingSpec.roles",
        "share": "quantity",
        "words": "[string",
    }
    role = found["definitions"]["example.org.v1.TrainingSpec.roles"]
    assert role == {"template": "core.v1.PodTemplateSpec"}

"""Tests of services.ssm.fixes.labels."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_reserved_labels_are_invalid_in_any_case() -> None:
    ssm = client("ssm")
    ssm.put_parameter(Name="/n", Value="a", Type="String")
    labels = ["AWSone", "good", "ssmTwo", "3rd"]
    found = ssm.label_parameter_version(Name="/n", ParameterVersion=1, Labels=labels)
    assert found["InvalidLabels"] == ["AWSone", "ssmTwo", "3rd"]
    (version,) = ssm.get_parameter_history(Name="/n")["Parameters"]
    assert version["Labels"] == ["good"]

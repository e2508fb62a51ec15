"""Codes of EKS's health issues."""

from __future__ import annotations

import botocore.session
import pytest

from clusterwright.diagnosis.eks_issues import CODES, cause

_SAY_NOTHING = {"Other", "Unknown"}


@pytest.mark.parametrize("shape", ["AddonIssueCode", "ClusterIssueCode", "NodegroupIssueCode"])
def test_every_code_of_the_api_has_a_meaning(shape: str) -> None:
    model = botocore.session.get_session().get_service_model("eks")
    assert set(model.shape_for(shape).enum) - _SAY_NOTHING <= CODES.keys()


def test_cause_has_the_meaning_and_what_eks_says() -> None:
    said = cause({"code": "InsufficientNumberOfReplicas", "message": "no replicas."})
    assert said.startswith("EKS: too few pods of the add-on run")
    assert said.endswith(": no replicas")
    assert cause({"code": "VpcNotFound"}) == "EKS: the VPC was deleted: VpcNotFound"

"""Names of SageMaker's add-ons."""

from __future__ import annotations

from typing import get_args

from clusterwright.cluster_spec.models.hyperpod_eks import HyperPodAddon
from clusterwright.platforms.hyperpod_eks.addons import NAMES, SERVICE_ACCOUNTS


def test_every_add_on_of_the_spec_has_a_name_and_a_service_account() -> None:
    wanted = set(get_args(HyperPodAddon.model_fields["name"].annotation))
    assert set(NAMES) == set(SERVICE_ACCOUNTS) == wanted
    assert all(name.startswith("amazon-sagemaker-hyperpod-") for name in NAMES.values())

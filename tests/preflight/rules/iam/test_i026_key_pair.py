"""Tests of CW-I026."""

from __future__ import annotations

from clusterwright.preflight.facts.references import KeyPair
from tests.preflight.harness import Harness

HERE = "parallelcluster.ssh_key_name"
SPEC = {"platform": "parallelcluster", "parallelcluster": {"ssh_key_name": "team"}}
ON_AMAZON_LINUX = {**SPEC, "parallelcluster": {"ssh_key_name": "team", "os": "alinux2023"}}


def test_key_pair_exists_in_the_region(rule: Harness) -> None:
    rule.passes("CW-I026", SPEC, {KeyPair("team"): "ed25519"})
    rule.passes("CW-I026", tested=False)
    rule.fails("CW-I026", SPEC, {KeyPair("team"): None}, path=HERE,
               message="the key pair team does not exist in us-east-1")  # fmt: skip


def test_ubuntu_refuses_rsa(rule: Harness) -> None:
    rule.fails("CW-I026", SPEC, {KeyPair("team"): "rsa"}, path=HERE,
               message="the key pair team is RSA, which ubuntu2204 does not accept")  # fmt: skip
    rule.passes("CW-I026", ON_AMAZON_LINUX, {KeyPair("team"): "rsa"})

"""The EC2 key pair exists, and the operating system accepts its kind."""

from __future__ import annotations

from clusterwright.preflight.facts.references import KeyPair
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class KeyPairExists(Rule[str]):
    id = "CW-I026"
    prevents = (
        "the head node's launch fails with InvalidKeyPair.NotFound, or nobody can log in with "
        "the key"
    )
    source = "aws/aws-parallelcluster 3.16.1, KeyPairValidator; EC2 DescribeKeyPairs"

    def subjects(self, context: Context) -> Subjects[str]:
        cluster = context.cluster
        for section, name in (
            ("parallelcluster", cluster.parallelcluster.ssh_key_name),
            ("pcs", cluster.pcs.ssh_key_name),
        ):
            if name is not None and section in cluster.traits.sections:
                yield (section, "ssh_key_name"), name

    def needs(self, name: str) -> Facts:
        return (KeyPair(name),)

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        kind = facts[KeyPair(name)]
        # PCS's images with drivers are Ubuntu 24.04; those of others may accept RSA.
        own = context.cluster.image.image_id is not None
        on_pcs = context.platform.service_runs_controller
        system = ("" if own else "ubuntu2404") if on_pcs else context.cluster.parallelcluster.os
        if kind is None:
            yield Fail(
                message=f"the key pair {name} does not exist in {context.region}",
                requested=name,
                where=context.region,
                hint="key pairs are regional: import the public key with `aws ec2 "
                "import-key-pair`, or remove ssh_key_name and use Session Manager",
            )
        elif kind == "rsa" and system.startswith("ubuntu"):
            yield Fail(
                message=f"the key pair {name} is RSA, which {system} does not accept",
                requested=kind,
                limit="ed25519",
                hint="create a key pair with `--key-type ed25519`",
            )

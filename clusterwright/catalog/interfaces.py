"""Network interfaces of a node and their addresses, by rules on sourced numbers."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog.facts import Fact, Known, Unknown
from clusterwright.catalog.model import InstanceType, Interface
from clusterwright.platforms.registry import traits_or_none

LAYOUT_NOTE: Final = (
    "EC2's documentation puts the efa-only interface of cards 1 and up on device 0, "
    "ParallelCluster's launch templates on device 1"
)
_LAYOUT_RULE: Final = "ParallelCluster's rule applied to the type's network cards"


def derived_layout(
    instance: InstanceType, rule_source: tuple[str, str]
) -> Fact[tuple[Interface, ...]]:
    """The interfaces that ParallelCluster 3.16.1 would give this type.

    Card 0 carries the ENA interface (device 0) and, where it takes EFA and a second interface, an
    efa-only one (device 1). Every other card carries an efa-only interface, on device 1 or, where
    it takes a single one, device 0. Card 0 takes EFA exactly where there are as many EFA
    interfaces as cards. Without EFA there is one interface. Source:
    aws-parallelcluster 3.16.1, `templates/queues_stack.py`.
    """
    if instance.name.startswith("p6e-"):
        return Unknown(
            "the interfaces of each of its cards are not in EC2's API data, "
            "and half of its cards support efa-only interfaces only"
        )
    cards, efa = instance.network_cards, instance.efa_interfaces
    first, others = instance.interfaces_max_card0, instance.interfaces_max_other_cards
    if (
        isinstance(cards, Unknown)
        or isinstance(efa, Unknown)
        or isinstance(first, Unknown)
        or isinstance(others, Unknown)
    ):
        return Unknown("the type's network cards are unknown")
    if efa.value == 0:
        return Known((Interface(0, 0, "interface"),), *rule_source, "no EFA", derived=True)
    if efa.value < cards.value - 1:
        return Unknown(
            f"{efa.value} EFA interfaces on {cards.value} network cards: which cards support them "
            "is not known"
        )
    card0_takes_efa = efa.value == cards.value
    layout = [Interface(0, 0, "interface")]
    if card0_takes_efa and first.value >= 2:
        layout.append(Interface(0, 1, "efa-only"))
    elif card0_takes_efa:
        layout = [Interface(0, 0, "efa")]
    device = 1 if others.value >= 2 else 0
    layout += [Interface(card, device, "efa-only") for card in range(1, cards.value)]
    note = f"{_LAYOUT_RULE}; {LAYOUT_NOTE}" if cards.value > 1 else _LAYOUT_RULE
    return Known(tuple(layout), *rule_source, note, derived=True)


def derived_addresses(
    instance: InstanceType, platform: str, layout: Fact[tuple[Interface, ...]]
) -> Fact[int]:
    """Addresses of one node in its subnet, if no source states them.

    With Slurm on HyperPod the only sourced figure (p5.48xlarge: 32) is the number of network
    cards, so one address per card is assumed. With Kubernetes the sourced figure (81) is a full
    primary interface (50) and one address for each of the 31 other cards; the VPC CNI of EKS
    without HyperPod is assumed to fill the primary interface too. Where our launch templates
    determine the interfaces (`layout`), those with an address are counted.
    """
    cards = instance.network_cards
    if isinstance(cards, Unknown):
        return Unknown("the type's network cards are unknown")
    traits = traits_or_none(platform)
    rule = None if traits is None else traits.node_addresses
    if rule == "card":
        return Known(
            cards.value,
            cards.source,
            cards.date,
            "one per network card, as for p5.48xlarge",
            derived=True,
        )
    if rule == "vpc-cni":
        per_interface = instance.ipv4_per_interface
        if isinstance(per_interface, Unknown):
            return Unknown("the addresses per interface of this type are unknown")
        note = (
            f"a full primary interface ({per_interface.value}) and one for each of the "
            f"{cards.value - 1} other network cards, as for p5.48xlarge on HyperPod with EKS"
        )
        return Known(
            per_interface.value + cards.value - 1, cards.source, cards.date, note, derived=True
        )
    if rule == "template":
        if isinstance(layout, Unknown):
            return layout
        count = sum(1 for each in layout.value if each.kind != "efa-only")
        note = "the interfaces with an address in our launch template"
        return Known(count, layout.source, layout.date, note, derived=True)
    return Unknown(f"no rule for platform {platform}")

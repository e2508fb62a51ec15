"""The rule file as YAML."""

from __future__ import annotations

from ruamel.yaml import YAML

from clusterwright.render.alerts import rules_yaml
from tests.alerts.watched_clusters import SPECS, rules_of


def test_the_text_is_the_content() -> None:
    for name in SPECS:
        text = rules_yaml(rules_of(name), file="x.yaml", note=None)
        assert YAML(typ="safe").load(text) == rules_of(name).content


def test_comments_say_what_was_left_out() -> None:
    text = rules_yaml(rules_of("slurm"), file="x.yaml", note="the exporter is off")
    head = text.partition("groups:")[0]
    assert "# No alert on samples applies: the exporter is off.\n" in head
    assert "#   NeuronDeviceMissing: Neuron devices\n" in head


def test_commands_are_blocks() -> None:
    text = rules_yaml(rules_of("slurm"), file="x.yaml", note=None)
    assert "          command: |-\n            clusterwright diagnose configs/test.yaml" in text

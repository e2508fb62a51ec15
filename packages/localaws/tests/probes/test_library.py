"""The probes are complete: sources, deletions, prices; and the local AWS passes every one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import pytest

from clusterwright_localaws.probes.calls import Answer, BotoCaller, can_be_tagged, operation_exists
from clusterwright_localaws.probes.library import (
    creates,
    operations,
    price_usd,
    probes,
    reads_only,
    sources,
)
from clusterwright_localaws.probes.model import Call, Probe
from clusterwright_localaws.probes.running import ProbeRun

_NAME = re.compile(r"\$\{([a-z][A-Za-z0-9_]*)")
_BUILT_IN = {"account", "region", "run", "name"}


def _all_calls() -> Iterator[tuple[str, Call]]:
    for probe in probes():
        for step in probe.steps:
            yield probe.id, step.call


def test_ids_differ() -> None:
    assert [one for one, count in Counter(p.id for p in probes()).items() if count > 1] == []


def test_every_operation_exists() -> None:
    unknown = [f"{name}: {call}" for name, call in _all_calls() if not operation_exists(call)]
    for row in operations().values():
        if row.undo is None:
            continue
        for given in filter(None, (row.undo.call, row.undo.wait)):
            service, _, operation = given.partition(".")
            call = Call(service=service, operation=operation, parameters={})
            unknown += [] if operation_exists(call) else [given]
    assert unknown == []


def test_every_source_exists_and_has_an_origin() -> None:
    used = {source for probe in probes() for source in probe.sources}
    used |= {row.price_source for row in operations().values() if row.price_source is not None}
    assert used <= sources().keys()
    assert [name for name in sources() if name not in used] == []
    without = [name for name, one in sources().items() if not (one.url or one.recorded_by)]
    assert without == ["model"]  # packaged with botocore


def test_every_changing_operation_has_a_row() -> None:
    missing = {
        str(call)
        for _, call in _all_calls()
        if not reads_only(call.operation) and str(call) not in operations()
    }
    assert missing == set()


def test_every_price_is_known() -> None:
    assert [probe.id for probe in probes() if price_usd(probe) is None] == []


def test_every_value_is_saved_before_it_is_used() -> None:
    for probe in probes():
        known = set(_BUILT_IN)
        for step in probe.steps:
            given = [step.call.parameters, step.error and step.error.model_dump()]
            used = set(_NAME.findall(json.dumps([*given, step.answer, step.until])))
            assert used <= known | step.save.keys(), probe.id
            assert set(_NAME.findall(json.dumps(given))) <= known, probe.id
            known |= step.save.keys()


def test_nothing_of_others_is_changed() -> None:
    """Whatever does not create names what the probe created, or an id that exists nowhere."""
    for name, call in _all_calls():
        row = operations().get(str(call))
        if row is None or row.undo is not None:
            continue
        text = json.dumps(call.parameters)
        assert "${" in text or "0123456789abcdef0" in text or "NumberOfBytes" in text, name


def test_what_is_created_is_tagged_or_has_the_name_of_the_run() -> None:
    for probe in probes():
        for step in probe.steps:
            row = operations().get(str(step.call))
            if row is None or row.undo is None or step.error is not None:
                continue
            named = "${name}" in json.dumps(step.call.parameters)
            inner = any("${" in str(value) for value in step.call.parameters.values())
            assert named or inner or can_be_tagged(step.call), probe.id


def test_there_are_probes_of_each_service() -> None:
    counted = Counter(call.service for _, call in _all_calls())
    for service in [
        "cloudformation",
        "cloudwatch",
        "ec2",
        "eks",
        "fsx",
        "iam",
        "kms",
        "logs",
        "pcs",
        "rds",
        "s3",
        "sagemaker",
        "secretsmanager",
        "service-quotas",
        "ssm",
        "sts",
    ]:
        assert counted[service] >= 2, service
    assert len(probes()) >= 300
    assert sum(not creates(probe) for probe in probes()) >= 30


@pytest.mark.parametrize("probe", probes(), ids=lambda probe: probe.id)
def test_local_aws_answers_as_aws_does(
    probe: Probe, one_local_aws: BotoCaller, names: dict[str, Any]
) -> None:
    times: list[datetime] = []

    def noting_times(call: Call) -> Answer:
        answer = one_local_aws(call)
        times.extend(_times(answer.members))
        return answer

    result = ProbeRun(probe, noting_times, {**names, "name": f"verify-{probe.id}"}).run()
    assert (result.differences, result.verdict, result.reason) == ([], "same", "")
    assert result.left_behind == []
    assert [str(each) for each in times if each.microsecond % 1000] == []


def _times(value: Any) -> Iterator[datetime]:
    if isinstance(value, datetime):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _times(item)
    elif isinstance(value, list):
        for item in value:
            yield from _times(item)

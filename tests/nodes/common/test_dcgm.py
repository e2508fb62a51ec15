"""The results of DCGM's diagnostic, in every form that it prints."""

from __future__ import annotations

import json

import pytest
from clusterwright_common import dcgm
from clusterwright_common.dcgm import Result, UnreadableOutput

TABLE = dcgm.read_table()
TESTS = [
    {"name": "Denylist", "results": [{"gpu_ids": "0,1", "status": "PASS"}]},
    None,
    {
        "name": "Memory",
        "results": [
            {"gpu_ids": "0", "status": "Pass"},
            {
                "gpu_ids": "1",
                "status": "Fail",
                "warnings": [{"warning": "Faulty memory on GPU 1", "error_id": 52}],
            },
        ],
    },
]
FOUND = [
    Result("Denylist", "GPU 0,1", "pass"),
    Result("Memory", "GPU 0", "pass"),
    Result("Memory", "GPU 1", "fail", ("Faulty memory on GPU 1",), ("52",)),
]
CATEGORIES = [{"category": "Deployment", "tests": TESTS[:1]}, {"tests": TESTS[1:]}]


@pytest.mark.parametrize(
    "document",
    [
        {"DCGM GPU Diagnostic": {"test_categories": CATEGORIES, "version": "3.3.7"}},
        {"categories": CATEGORIES},
        {"tests": TESTS},
    ],
)
@pytest.mark.parametrize("before", ["", "WARNING: environment variable is set\n"])
def test_three_forms_have_the_same_results(document: dict[str, object], before: str) -> None:
    found = dcgm.parse(before + json.dumps(document, indent=1) + "\ntrailing")
    assert found == FOUND
    assert dcgm.decide(found, TABLE) == dcgm.Action(
        "replace", "Memory failed on GPU 1: Faulty memory on GPU 1"
    )


def test_form_of_dcgm_4_names_entities() -> None:
    row = {
        "entity_group": "GPU",
        "entity_id": 3,
        "status": "Fail",
        "warnings": ["DCGM_FR_NVLINK_DOWN"],
    }
    (found,) = dcgm.parse(json.dumps({"tests": [{"name": "nvlink", "results": [row]}]}))
    assert found == Result("nvlink", "GPU 3", "fail", ("DCGM_FR_NVLINK_DOWN",), ("NVLINK_DOWN",))
    assert dcgm.decide([found], TABLE).action == "reboot"


def test_table_without_json_is_read() -> None:
    text = """
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Deployment  --------+------------------------------------------------|
| Denylist                  | Pass                                           |
| GPU Memory                | Fail - GPU: 1                                  |
| Warning                   | DCGM_FR_ROW_REMAP_FAILURE row remapping failed |
| Diagnostic                | Skip - All                                     |
+---------------------------+------------------------------------------------+
"""
    found = dcgm.parse(text)
    assert [(one.test, one.devices, one.status) for one in found] == [
        ("Denylist", "the node", "pass"),
        ("GPU Memory", "GPU: 1", "fail"),
    ]
    assert dcgm.decide(found, TABLE).action == "replace"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "no output"),
        ("Error: unable to connect to nv-hostengine", "unable to connect"),
        ('{"DCGM GPU Diagnostic": {"version": "4.2.3"}}', "4.2.3"),
        ('{"DCGM GPU Diagnostic": {"runtime_error": "GPU is in use"}}', "GPU is in use"),
        ('{"tests": [{"name": "memory", "resu', "cannot be read"),
        ('{"DCGM GPU Diagnostic": []}', "not an object"),
    ],
)
def test_output_without_results_is_no_pass(output: str, reason: str) -> None:
    with pytest.raises(UnreadableOutput, match=reason):
        dcgm.parse(output)


def status(*words: str) -> list[Result]:
    return dcgm.parse(
        json.dumps({"tests": [{"name": "a", "results": [{"status": w} for w in words]}]})
    )


def test_skipped_and_unknown_statuses_are_no_pass() -> None:
    assert dcgm.decide(status("Pass", "Skip"), TABLE) == dcgm.Action("none", "")
    with pytest.raises(UnreadableOutput, match="every test was skipped"):
        dcgm.decide(status("Skip", "Skip"), TABLE)
    with pytest.raises(UnreadableOutput, match="a was not run to its end"):
        dcgm.decide(status("Pass", "Marvellous"), TABLE)


def test_the_most_severe_action_counts() -> None:
    def failed(code: object) -> Result:
        return Result("test", "GPU 0", "fail", (), (str(code),))

    assert dcgm.decide([failed(101), failed("NVLINK_DOWN")], TABLE).action == "reboot"
    assert dcgm.decide([failed(50), failed(57)], TABLE).action == "replace"
    assert dcgm.decide([failed(9999)], TABLE).action == "report"
    assert dcgm.decide([Result("test", "GPU 0", "fail")], TABLE).action == "report"


def test_table_is_consistent() -> None:
    listed = [code for codes in TABLE["codes"].values() for code in codes]
    assert len(listed) == len(set(listed))
    assert set(TABLE["codes"]) < set(TABLE["actions"])
    assert set(TABLE["numbers"].values()) <= set(listed)
    for number, name in TABLE["numbers"].items():
        assert dcgm.action_of_code(number, TABLE) == dcgm.action_of_code(name, TABLE) != "report"

"""Objects of JSON on several lines as one line of evidence."""

from __future__ import annotations

from tests.diagnosis.made import findings, of_log

_OBJECT = """\
{
    "level": "ERROR",
    "message": "Reconciler error",
    "controller": "nodeclaim.lifecycle",
    "NodeClaim": {
        "name": "gpu-x6wxs"
    },
    "errors": [
        {
            "error": "launching nodeclaim, no instance type satisfied resources"
        }
    ]
}"""


def test_object_on_several_lines_is_one_line_with_all_its_texts() -> None:
    (line,) = of_log(_OBJECT)
    assert line.id == "stream:1"
    assert line.text.startswith("level: ERROR message: Reconciler error controller: nodeclaim")
    assert "name: gpu-x6wxs error: launching nodeclaim" in line.text
    (found,) = findings(line)
    assert found.cause.startswith("Karpenter: no instance type fits")


def test_what_stands_before_an_object_stays_before_it() -> None:
    text = 'fatal: [localhost]: FAILED! => {\n  "changed": false,\n  "msg": "it is gone"\n}\nthen'
    first, second = of_log(text)
    assert first.text == 'fatal: [localhost]: FAILED! => {"changed": false, "msg": "it is gone"}'
    assert (second.id, second.text) == ("stream:5", "then")


def test_what_is_no_object_stays_as_many_lines() -> None:
    code = 'function run() {\n  echo "it"\n}'
    unfinished = '{\n  "level": "ERROR",\nand then another line\n{\n  "last": 1'
    broken = '{\n  "level": "ERROR"\n  "message": "without a comma"\n}'
    for text in (code, unfinished, broken):
        assert [e.text for e in of_log(text)] == [line.strip() for line in text.splitlines()]


def test_objects_that_are_too_long_stay_as_many_lines() -> None:
    long = '{\n  "text": "' + "x" * 2000 + '"\n}'
    many = "{\n" + ",\n".join(f'  "n{n}": {n}' for n in range(200)) + "\n}"
    assert len(of_log(long)) == 3
    assert len(of_log(many)) == 202

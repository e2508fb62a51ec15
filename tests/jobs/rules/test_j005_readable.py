"""CW-J005: The shell syntax of the file can be read."""

from __future__ import annotations

import pytest

from tests.jobs.made import check, passes


@pytest.mark.parametrize(
    "text", ["echo 'a", 'echo "a', "cat <<EOF\na\n", "A=(1 2\n", "echo $(ls", "echo `ls"]
)
def test_what_has_no_end_is_unknown(text: str) -> None:
    result = check(f"#!/bin/bash\n{text}")
    assert {unknown.rule for unknown in result.unanswered} == {"CW-J005"}
    assert result.exit_code() == 2


def test_a_batch_script_in_a_here_document_is_unknown() -> None:
    result = check("#!/bin/bash\nsbatch <<EOF\n#!/bin/bash\nsrun a\nEOF\n")
    (unknown,) = result.unanswered
    assert (
        unknown.message == "the batch script is the here-document of this line: it was not checked"
    )
    assert unknown.position is not None
    assert unknown.position.line == 2


def test_script() -> None:
    passes("CW-J005", "#!/bin/bash\nread -r A B <<< \"$C\"\nread -r D <<<word\necho 'a'\n")
    passes("CW-J005", "#!/bin/bash\ncat <<'EOF'\nit's \"text\"\nEOF\necho \"$(echo 'a b')\"\n")

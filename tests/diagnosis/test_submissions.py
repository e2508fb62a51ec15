"""What a command of Slurm prints about one refused request is one report."""

from __future__ import annotations

from tests.diagnosis.made import findings, of_log

REFUSED = "sbatch: error: Batch job submission failed: {}"


def test_words_of_a_plugin_of_the_site_are_the_reason() -> None:
    words = "sbatch: error: {}\n"
    text = words.format("Cannot find GPU specification") + words.format("see the handbook")
    (found,) = findings(*of_log(text + REFUSED.format("Unspecified error")))
    assert found.cause == (
        "Slurm: a plug-in of the cluster that checks jobs (job_submit) refused it, with these "
        "words: Batch job submission failed: Unspecified error: Cannot find GPU specification see "
        "the handbook"
    )
    assert [e.id for e in found.evidence] == ["stream:3"]


def test_what_did_not_prevent_the_request_is_no_cause() -> None:
    text = "sbatch: error: spank: x11.so: Plugin file not found\n"
    answer = REFUSED.format("I/O error writing script/environment to file")
    (found,) = findings(*of_log(text + answer))
    assert "StateSaveLocation or SlurmdSpoolDir is full or not writable" in found.cause
    (alone,) = findings(*of_log(text))
    assert alone.signature == "slurm-plugin"


def test_lines_of_another_command_and_of_programs_stay_lines() -> None:
    lines = [
        "srun: error: one",
        "sbatch: error: two",
        "a program writes",
        REFUSED.format("Invalid qos specification"),
        *(f"salloc: error: {number}" for number in range(9)),
    ]
    assert [line.text for line in of_log("\n".join(lines))] == lines


def test_a_refusal_without_words_has_no_reason() -> None:
    (found,) = findings(*of_log(REFUSED.format("Unspecified error")))
    assert "refused it without a reason" in found.cause


def test_end_of_a_command_repeats_what_it_said() -> None:
    text = (
        "sbatch: error: --gpus-per-socket option requires --sockets-per-node specification\n"
        "sbatch: error: Invalid generic resource (gres) specification"
    )
    (found,) = findings(*of_log(text))
    assert found.cause == (
        "Slurm: options of the job exclude each other, lack another one, or their numbers do not "
        "fit: --gpus-per-socket option requires --sockets-per-node specification"
    )
    (alone,) = findings(*of_log(text.partition("\n")[2]))
    assert alone.signature == "slurm-error"

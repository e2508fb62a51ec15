"""Programs that refuse their command line, and API servers that refuse a manifest's fields.

Sources of the messages: Python's argparse, click.exceptions, getopt(3), spf13/pflag and
clap (error kinds), kubectl's validation of schemas, Kubernetes' strict decoding and the types of
its field errors (apimachinery, pkg/util/validation/field).
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature, Values

_TEXT: Final = ("log", "job")
_JOB_FILE: Final = "clusterwright check-job {file} JOBFILE"


def _refused(values: Values) -> str:
    """What a program refuses; `--local_rank` is the launcher's, not the user's."""
    said = values["reason"]
    if "--local_rank" in said or "--local-rank" in said:
        return (
            "the program does not take --local_rank (or --local-rank), which "
            f"torch.distributed.launch gives it, and torchrun does not: {said}"
        )
    return f"a program refuses its command line: {said}"


SIGNATURES: Final = (
    Signature(
        "manifest-fields",
        "Kubernetes: a manifest has a field that the API does not have, lacks one, or has a value "
        "of another type: {reason}",
        (
            r"error validating data: \[?(?P<reason>ValidationError\([^)\n]{1,160}\): "
            r"(?:unknown field|missing required field|invalid type)[^,;\n]{1,160})",
            r"strict decoding error: (?P<reason>(?:unknown|duplicate) field[^,\n]{1,160})",
            r"(?P<reason>json: cannot unmarshal [^\n]{1,160} of type [^\n]{1,60})",
        ),
        kinds=_TEXT,
        next=("clusterwright check-job {file} MANIFEST",),
    ),
    Signature(
        "object-invalid",
        "Kubernetes: the API server refuses the {kind} {name}: {reason}",
        (
            r"\b(?P<kind>[A-Z][A-Za-z]{2,40})(?:\.[a-z][\w.-]{1,60})? \\?\"(?P<name>[^\"\\\n]{1,120})"
            r"\\?\" is invalid: \[?(?P<reason>[\w.\[\]/-]{1,160}: (?:Invalid value|Required value|"
            r"Unsupported value|Forbidden|Duplicate value|Too long|Too many|Not found)[^\n]{0,160})",
        ),
        kinds=_TEXT,
        next=("clusterwright check-job {file} MANIFEST",),
    ),
    Signature(
        "command-line",
        _refused,
        (
            r"\berror: (?P<reason>(?:the following arguments are required|ambiguous option|"
            r"unrecognized arguments|unexpected option string|one of the arguments [^\n]{1,80} is "
            r"required)[^\n]{0,160})",
            r"\berror: (?P<reason>argument [^\n:]{1,80}: (?:expected (?:one|at least|at most|\d+) "
            r"argument|not allowed with argument|invalid choice|invalid \w+ value|ignored "
            r"explicit argument)[^\n]{0,160})",
            r"^Error: (?P<reason>(?:Got unexpected extra arguments?|No such (?:option|command)|"
            r"Missing (?:argument|option|parameter|command)|Invalid value for|Option '[^'\n]{1,60}' "
            r"(?:requires|does not take)|Argument '[^'\n]{1,60}' takes)[^\n]{0,160})",
            r"\bError: (?P<reason>(?:unknown (?:shorthand )?flag|flag needs an argument|required "
            r"flag\(s\)|unknown command \"|accepts \d+ arg\(s\))[^\n]{0,160})",
            r"^error: (?P<reason>(?:unexpected argument|unrecognized subcommand|the following "
            r"required arguments were not provided|a value is required for)[^\n]{0,160})",
            r"^[\w./-]{1,60}: (?P<reason>(?:option requires an argument --|invalid option --|"
            r"unrecognized option|option '[^'\n]{1,60}' (?:requires an argument|is ambiguous))"
            r"[^\n]{0,100})",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
)

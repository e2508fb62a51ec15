"""The form of the arguments of intrinsic functions, wherever a template has them.

CloudFormation refuses a function with arguments of another form when the request arrives, also in
a condition that nothing uses.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from clusterwright_localaws.cloudformation.errors import ValidationError

CIDR: Final = (
    "every Fn::Cidr object requires two or three parameters: an IP block, the number of CIDRs (1 "
    "to 256) and the number of subnet bits"
)
JOIN: Final = (
    "every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of "
    "strings to be joined or a function that returns a list of strings (such as Fn::GetAZs) to "
    "be joined."
)
SELECT: Final = (
    "Fn::Select requires a list argument with two elements: an integer index and a list"
)
SPLIT: Final = (
    "every Fn::Split object requires two parameters, (1) a string delimiter and (2) a string to "
    "be split or a function that returns a string to be split."
)
GET_ATT: Final = (
    "every Fn::GetAtt object requires two non-empty parameters, the resource name and the "
    "resource attribute"
)
_SUB: Final = (
    "One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string "
    "as first argument, and an optional second argument to specify a mapping of values to replace "
    "in the string"
)


def check_arguments(key: str, argument: Any) -> None:
    """Refuse arguments of a function whose form is wrong, before they are evaluated.

    Raises
    ------
    ValidationError
        With CloudFormation's message about the function.
    """
    rule = _RULES.get(key)
    if rule is not None and not rule[0](argument):
        raise ValidationError(f"Template error: {rule[1]}")


def check_functions(value: Any) -> None:
    """Refuse the first function below `value` whose arguments have a wrong form.

    Raises
    ------
    ValidationError
        With CloudFormation's message about the function.
    """
    if isinstance(value, Mapping):
        if len(value) == 1:
            check_arguments(*next(iter(value.items())))
        for item in value.values():
            check_functions(item)
    elif isinstance(value, list):
        for item in value:
            check_functions(item)


def _list_of(*numbers: int) -> Callable[[Any], bool]:
    return lambda argument: isinstance(argument, list) and len(argument) in numbers


def _get_att(argument: Any) -> bool:
    parts = argument.split(".", 1) if isinstance(argument, str) else argument
    # The name of a resource is text; that of an attribute may be a function.
    return isinstance(parts, list) and len(parts) >= 2 and isinstance(parts[0], str) and all(parts)


def _if(argument: Any) -> bool:
    return isinstance(argument, list) and len(argument) == 3 and isinstance(argument[0], str)


def _select(argument: Any) -> bool:
    if not isinstance(argument, list) or len(argument) != 2:
        return False
    index, items = argument
    if not isinstance(items, (Mapping, list)):
        return False
    if isinstance(index, Mapping):
        return True
    if re.fullmatch(r"\d+", str(index)) is None:
        return False
    # Functions below a list may leave items out, or be known only later.
    literal = isinstance(items, list) and not any(isinstance(item, Mapping) for item in items)
    return not literal or int(index) < len(items)


def _sub(argument: Any) -> bool:
    if isinstance(argument, list):
        return (
            len(argument) == 2
            and isinstance(argument[0], str)
            and isinstance(argument[1], Mapping)
        )
    return isinstance(argument, str)


# A list of 2 to 10 conditions.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html
_OPERANDS = _list_of(*range(2, 11))
_SOME = "object requires a list of at least 2 and at most 10 boolean parameters."

_RULES: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "Fn::And": (_OPERANDS, f"every Fn::And {_SOME}"),
    "Fn::Cidr": (_list_of(2, 3), CIDR),
    "Fn::Contains": (_list_of(2), "every Fn::Contains object requires a list and a string"),
    "Fn::EachMemberEquals": (
        _list_of(2),
        "Fn::EachMemberEquals requires a list and a string",
    ),
    "Fn::EachMemberIn": (_list_of(2), "Fn::EachMemberIn requires two lists"),
    "Fn::Equals": (
        _list_of(2),
        "every Fn::Equals object requires a list of 2 string parameters.",
    ),
    "Fn::FindInMap": (
        _list_of(3, 4),
        "every Fn::FindInMap object requires three parameters, the map name, map key and the "
        "attribute for return value",
    ),
    "Fn::GetAtt": (_get_att, GET_ATT),
    "Fn::If": (
        _if,
        "Fn::If requires a list argument with three elements: a condition name, the value if true "
        "and the value if false",
    ),
    "Fn::Join": (_list_of(2), JOIN),
    "Fn::Not": (_list_of(1), "every Fn::Not object requires one boolean parameter."),
    "Fn::Or": (_OPERANDS, f"every Fn::Or {_SOME}"),
    "Fn::Select": (_select, SELECT),
    "Fn::Split": (_list_of(2), SPLIT),
    "Fn::Sub": (_sub, _SUB),
}

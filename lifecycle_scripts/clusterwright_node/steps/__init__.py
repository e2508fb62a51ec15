"""The steps, one module each. A module here is found by its name; there is no list to keep.

A step has a docstring whose first line says what it does, and:

- `AFTER`: names of the steps that must have succeeded before it;
- `DEADLINE_SECONDS`: how long `check` and `apply` together may take;
- `RETRIES`: how often `apply` is tried again after a transient failure;
- `applies(node)`: APPLIES, or skip(reason);
- `check(node)`: SATISFIED, or missing(what is missing); it never changes the machine;
- `apply(node)`: makes `check` come out satisfied, from any state that a killed run may have left.

Both may raise StepError with a cause and a hint.
"""

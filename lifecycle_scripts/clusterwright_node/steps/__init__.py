"""The steps, one module each. Modules in this folder are found automatically.

A step has a docstring whose first line is its summary, and:

- `AFTER`: names of the steps that must have succeeded before it;
- `DEADLINE_SECONDS`: how long `check` and `apply` together may take;
- `RETRIES`: how often `apply` is repeated after a transient failure;
- `applies(node)`: APPLIES, or skip(reason);
- `check(node)`: SATISFIED, or missing(what is missing); it never changes the machine;
- `apply(node)`: makes `check` return SATISFIED, from any state that a killed run may have left.

Both may raise StepError with a cause and a hint.
"""

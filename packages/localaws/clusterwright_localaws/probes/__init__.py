"""Probes: small scenarios, each with what AWS answers, its source and its price on AWS.

`data/*.yaml` holds the probes of one service each, `sources.yaml` their sources and
`operations.yaml` how to delete what an operation creates. `make test` runs every probe against the
local AWS, `localaws verify` against the account that the user names.
"""

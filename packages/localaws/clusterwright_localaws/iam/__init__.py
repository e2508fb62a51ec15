"""IAM: what policies say, who calls, and what a call needs.

`evaluation` is AWS's documented logic on policy documents, pure and without state; `callers`,
`entities` and `requirements` find out, for one call of the gateway, who makes it and which actions
on which resources it needs; `enforcement` joins them where the world says `iam: enforced`.
"""

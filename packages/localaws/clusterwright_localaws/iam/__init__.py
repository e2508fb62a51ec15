"""IAM: policies, callers, and the permissions that a call requires.

`evaluation` is AWS's documented logic on policy documents, pure and without state; `callers`,
`entities` and `requirements` determine, for a call of the gateway, its caller and the actions that
it requires on which resources it requires; `enforcement` combines them in worlds with `iam:
enforced`.
"""

"""A minimal CDK app with one empty stack: the cost that every app has."""

from __future__ import annotations

import os

import aws_cdk as cdk

app = cdk.App(outdir=os.environ.get("CDK_OUTDIR"))
cdk.Stack(app, "Empty")
app.synth()

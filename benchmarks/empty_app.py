"""The least that a CDK app can be: one stack with nothing in it. What every app pays for."""

from __future__ import annotations

import os

import aws_cdk as cdk

app = cdk.App(outdir=os.environ.get("CDK_OUTDIR"))
cdk.Stack(app, "Empty")
app.synth()

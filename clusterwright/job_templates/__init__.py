"""Job files that `clusterwright render jobs` writes for the cluster of a spec.

To add a job, create one module in `templates/` with a `TEMPLATE` (`template.JobTemplate`): its
name, its settings, and a function per launcher that returns the file's text. `registry` finds it
by its folder. The function gets a `Context`: the facts of the cluster (`facts.Target`), the
values of the settings, the plan. A Slurm file is built by `slurm.script`, which adds the options
of sbatch, the environment and the shared shell part (`shell/`); a Kubernetes form is the
`kubernetes` function of the same template, and until it exists the job is refused there with a
reason. Then `tests/job_templates/templates/test_NAME.py` and `python -m tools.docs jobs`. Every
rendered file of every example is tested with `bash -n`, shellcheck and the rules of `check-job`.

Pure: no calls and no clock.
"""

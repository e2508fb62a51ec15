"""The account exists."""

from __future__ import annotations

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.values import dynamic


class KnownAccount(JobRule):
    id = "CW-J011"
    severity = "warning"
    prevents = "a submission that Slurm refuses: invalid account or account/partition combination"
    source = "sbatch(1), --account; slurm.conf(5), AccountingStorageEnforce=associations"

    def check(self, job: Job) -> Results:
        option = job.file.option("account")
        slurm = job.cluster.slurm
        if option is None or dynamic(option.value):
            return
        if slurm.accounting.kind == "none":
            return
        known = {"default", "root", *(account.name for account in slurm.accounts)}
        known |= {user.slurm_account for user in slurm.users}
        if option.value not in known:
            enforced = slurm.configuration == "scripted"
            yield Fail(
                message=f"the spec has no account {option.value}",
                at=option,
                severity="error" if enforced else None,
                hint=did_you_mean(option.value, sorted(known))
                or "name one of slurm.accounts or of the users; accounts that were created by "
                "hand are not in the spec",
            )

"""Discounts, Savings Plans, purchases, spares, mixes: recomputed here from the sources' figures.

Hourly, us-east-1: HyperPod p5.48xlarge 66.048 (Price List copy of 2026-10-04).
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.components.support import charge
from clusterwright.cost.estimate import estimate
from clusterwright.cost.terms import Terms, Usage
from clusterwright.cost.user_prices import parse
from clusterwright.platforms.loading import load_cluster
from tests.support import specs

TODAY = dt.date(2026, 11, 20)
P5 = Decimal("66.048")
PLAN = {"kind": "training-plan", "arn": specs.PLAN}


def terms(text: str) -> Terms:
    return parse(parse_document(text, "prices.yaml")).terms


def bill_of(
    folder: Path, changes: dict[str, Any] | None = None, text: str = "", **more: Any
) -> Bill:
    spec = specs.load(folder, changes)
    own = parse(parse_document(text or "usage: {}", "prices.yaml"))
    catalog = load_catalog(prices_override=own.rates)
    return estimate(spec.cluster, catalog, today=TODAY, terms=own.terms, usage=own.usage, **more)


def compute(bill: Bill) -> list[Line]:
    return [line for line in bill.lines if line.component == "compute"]


def purchase(**changes: Any) -> str:
    entry = {
        "id": specs.PLAN, "instances": 16, "hours": 720, "upfront_usd": 518400,
        "start": "2026-12-01", "end": "2026-12-31", "source": "invoice 7", "date": "2026-11-01",
        **changes,
    }  # fmt: skip
    fields = ", ".join(f'{key}: "{value}"' if isinstance(value, str) else f"{key}: {value}"
                       for key, value in entry.items() if value is not None)  # fmt: skip
    return f"purchases:\n  - {{{fields}}}\n"


class TestDiscounts:
    TEXT = 'discounts: [{service: hyperpod, percent: 12.5, source: "EDP", date: 2026-01-01}]\n'

    def test_it_is_off_the_list_price_and_says_so(self, tmp_path: Path) -> None:
        workers = compute(bill_of(tmp_path, text=self.TEXT))[1]
        assert workers.unit_price_usd == P5 * 7 / 8
        assert "list price 66.048 USD less 12.5 %" in (workers.note or "")
        assert (workers.origin, workers.date) == ("catalogue", "2026-10-04")

    def test_a_rate_of_the_users_stays_what_it_is(self, tmp_path: Path) -> None:
        rate = (
            "rates: [{instance_type: p5.48xlarge, kind: hyperpod-on-demand, region: us-east-1, "
            "usd: 50, unit: instance-hour, source: s, date: 2026-11-01}]\n"
        )
        workers = compute(bill_of(tmp_path, text=rate + self.TEXT))[1]
        assert (workers.unit_price_usd, workers.origin) == (50, "user")

    def test_everything_but_what_has_its_own(self, tmp_path: Path) -> None:
        text = (
            "discounts:\n"
            '  - {service: "*", percent: 10, source: s, date: 2026-01-01}\n'
            "  - {service: fsx_lustre, percent: 50, source: s, date: 2026-01-01}\n"
        )
        bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]}, text)
        prices = {line.component: line.unit_price_usd for line in bill.lines if line.known}
        assert prices["compute"] == P5 * 9 / 10
        assert prices["lustre"] == Decimal("0.6") / 2


class TestSavingsPlans:
    def text(self, committed: str = "") -> str:
        more = f", commitment_usd_per_hour: {committed}" if committed else ""
        return (
            "savings_plans: [{instance_type: p5.48xlarge, covers: hyperpod-on-demand, "
            f"region: us-east-1, usd: 48{more}, source: SP-1, date: 2026-06-30}}]\n"
        )

    def test_the_commitment_covers_what_it_pays_for_and_the_rest_is_on_demand(
        self, tmp_path: Path
    ) -> None:
        _, covered, rest = compute(bill_of(tmp_path, text=self.text("120")))
        assert (covered.quantity, covered.unit_price_usd) == (Decimal("2.5"), 48)
        assert (rest.quantity, rest.unit_price_usd) == (Decimal("1.5"), P5)
        assert (covered.origin, covered.source) == ("user", "your Savings Plan: SP-1")
        assert not covered.releasable
        assert rest.releasable

    def test_a_commitment_that_nothing_uses_is_a_line(self, tmp_path: Path) -> None:
        bill = bill_of(tmp_path, text=self.text("250"))
        _, covered, unused = compute(bill)
        assert covered.quantity == 4
        assert unused.hourly_usd == 250 - 4 * 48
        (one,) = bill.unused
        assert one.hourly_usd == 58
        assert bill.total.hourly_usd == 250

    def test_without_a_commitment_everything_is_covered(self, tmp_path: Path) -> None:
        _, covered = compute(bill_of(tmp_path, text=self.text()))
        assert (covered.quantity, covered.hourly_usd) == (4, 192)

    def test_two_groups_of_one_type_share_it_in_order_and_other_kinds_have_no_part(
        self, tmp_path: Path
    ) -> None:
        group = specs.SMALL["compute"][1]
        changes = {
            "compute.2": {**group, "name": "more", "count": 3},
            "compute.3": {**group, "name": "spare", "count": 2, "capacity": {"kind": "spot"}},
        }
        lines = compute(bill_of(tmp_path, changes, self.text("240")))
        found = [(line.item, line.quantity, line.unit_price_usd) for line in lines[1:]]
        assert found == [
            ("workers: ml.p5.48xlarge, on-demand, Savings Plan", 4, 48),
            ("more: ml.p5.48xlarge, on-demand, Savings Plan", 1, 48),
            ("more: ml.p5.48xlarge, on-demand", 2, P5),
            ("spare: ml.p5.48xlarge, spot", 2, None),
        ]

    def test_ec2s_plan_never_covers_hyperpod(self, tmp_path: Path) -> None:
        text = self.text().replace("hyperpod-on-demand", "ec2-on-demand")
        (workers,) = [li for li in compute(bill_of(tmp_path, text=text)) if li.group == "workers"]
        assert workers.unit_price_usd == P5


class TestPurchases:
    """16 instances × 720 h for 518,400 USD: 45 USD per instance-hour."""

    def test_what_was_paid_is_the_rate(self, tmp_path: Path) -> None:
        bill = bill_of(tmp_path, {"compute.1.capacity": PLAN, "compute.1.count": 16}, purchase())
        workers = compute(bill)[1]
        assert (workers.unit_price_usd, workers.hourly_usd) == (45, 720)
        assert "518,400 USD for 16 instances × 720 h, 2026-12-01 to 2026-12-31" in (
            workers.note or ""
        )
        assert not workers.releasable
        assert bill.prepaid[0].upfront_usd == 518400
        assert bill.unused == ()

    def test_what_is_bought_and_in_no_group_is_a_line(self, tmp_path: Path) -> None:
        bill = bill_of(tmp_path, {"compute.1.capacity": PLAN}, purchase())
        _, workers, rest = compute(bill)
        assert (workers.quantity, rest.quantity) == (4, 12)
        assert workers.hourly_usd == 180
        assert rest.hourly_usd == 540
        (unused,) = bill.unused
        assert unused.hourly_usd == 540

    def test_two_groups_of_one_plan_and_one_of_another(self, tmp_path: Path) -> None:
        group = {**specs.SMALL["compute"][1], "capacity": PLAN}
        changes = {
            "compute.1": group,
            "compute.2": {**group, "name": "more", "count": 6},
            "compute.3": {**group, "name": "by-hour", "capacity": {"kind": "on-demand"}},
        }
        lines = compute(bill_of(tmp_path, changes, purchase()))
        assert [(line.quantity, line.unit_price_usd) for line in lines[1:]] == [
            (4, 45), (6, 45), (4, P5), (6, 45),
        ]  # fmt: skip

    def test_a_shorter_run_pays_for_the_whole_plan(self, tmp_path: Path) -> None:
        changes = {"compute.1.capacity": PLAN, "compute.1.count": 16}
        bill = bill_of(tmp_path, changes, purchase(), run_hours=Decimal(480))
        assert bill.total.run_usd == 518400
        (unused,) = bill.unused
        assert unused.run_usd == 518400 / 3
        assert "240 h more than the run" in unused.why

    def test_a_longer_run_and_a_larger_group_are_warned_of(self, tmp_path: Path) -> None:
        changes = {"compute.1.capacity": PLAN, "compute.1.count": 20}
        text = purchase(start="2026-10-01", end="2026-10-31")
        bill = bill_of(tmp_path, changes, text, run_hours=Decimal(900))
        assert [w for w in bill.warnings if "run-1" in w] == [
            "run-1 has 16 instances, and the cluster needs 20",
            "run-1 ends after 720 h, and the run takes 900 h: the remaining hours have the plan's "
            "rate, but are not bought",
            "run-1 ended on 2026-10-31",
        ]

    def test_a_purchase_of_what_the_spec_does_not_name_is_not_on_the_bill(
        self, tmp_path: Path
    ) -> None:
        bill = bill_of(tmp_path, text=purchase())
        assert (bill.prepaid, len(compute(bill))) == ((), 2)


def test_spares_are_part_of_the_bill_and_shown_apart(tmp_path: Path) -> None:
    changes = {"compute.1.spare_count": 1, "slurm": {"configuration": "scripted"}}
    bill = bill_of(tmp_path, changes, run_hours=Decimal(10))
    (spares,) = bill.unused
    assert (spares.group, spares.instances, spares.hourly_usd) == ("workers", 1, P5)
    assert spares.run_usd == 10 * P5
    assert bill.total.hourly_usd == 4 * P5


def test_idle_is_what_stands_and_zero_nodes_is_what_stays(tmp_path: Path) -> None:
    text = "usage: {s3/Standard storage (first tier): 1000}\n"
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]}, text, run_hours=Decimal(730 - 30))
    storage = 4800 * Decimal("0.6")
    idle = bill.idle
    assert idle.hourly_usd == 4 * P5 + storage / 730
    assert idle.at_zero_hourly_usd == pytest.approx(storage / 730)
    assert idle.outside_run_usd == pytest.approx(30 * (4 * P5 + storage / 730))
    assert bill.total.monthly_usd == 730 * 4 * P5 + storage + 23


def test_figures_of_use_per_node_grow_with_the_cluster(tmp_path: Path) -> None:
    text = (
        "usage:\n  logs/ingestion: {per_node_hour: 0.02}\n"
        "  nat_gateway/data processed: {per_node_month: 3}\n"
    )
    bill = bill_of(tmp_path, {"network.egress": "nat"}, text)
    lines = {line.item: line for line in bill.lines}
    assert lines["CloudWatch logs: ingestion"].quantity == Decimal("0.02") * 730 * 5
    nat = lines["NAT gateway: data"]
    assert (nat.quantity, nat.monthly_usd) == (15, 15 * Decimal("0.045"))
    assert nat.note == "your usage: 3 per node and month, 5 nodes"


def test_rates_far_from_the_catalogues_or_from_the_future_are_asked_about(tmp_path: Path) -> None:
    text = (
        "rates:\n"
        "  - {instance_type: p5.48xlarge, kind: hyperpod-on-demand, region: us-east-1,"
        " usd: 6.6048, unit: instance-hour, source: s, date: 2026-11-01}\n"
        "  - {service: kms, item: key, region: us-east-1, usd: 1, unit: key-month, source: s,"
        " date: 2027-01-01}\n"
    )
    said = " ".join(bill_of(tmp_path, text=text).warnings)
    assert "p5.48xlarge, hyperpod-on-demand: your rate is 6.6048 USD, the catalogue's of" in said
    assert "KMS key: your rate is dated 2027-01-01, which is in the future" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("discounts: {}\n", "`discounts` must be a list of entries"),
        ("discounts: [1]\n", "must be a mapping"),
        ("discounts: [{service: s3, percent: 0, source: s, date: 2026-01-01}]\n", "above 0"),
        ("discounts: [{service: s3, percent: 101, source: s, date: 2026-01-01}]\n", "up to 100"),
        ("discounts: [{service: s3, percent: .nan, source: s, date: 2026-01-01}]\n", ""),
        ("discounts: [{service: s3, percent: 5, source: s, date: soon}]\n", "expected a date"),
        ("discounts: [{service: s3, percent: 5, source: s}]\n", "date is missing"),
        (
            "discounts: [{service: s3, percent: 5, source: s, date: 2026-01-01, per: 1}]\n",
            "unknown key `per`",
        ),
        (
            "discounts:\n"
            "  - {service: s3, percent: 5, source: s, date: 2026-01-01}\n"
            "  - {service: s3, percent: 6, source: s, date: 2026-01-01}\n",
            "duplicate entry for s3",
        ),
        (purchase(instances=0), "expected a number of instances"),
        (purchase(instances=1.5), "expected a number of instances"),
        (purchase(upfront_usd=-1), "an amount from 0"),
        (purchase(upfront_usd=1e13), "an amount from 0"),
        (purchase(hours=0), "expected the number of hours"),
        (purchase(id="plan"), "the ARN of a training plan"),
        (purchase(end="2026-11-30"), "the end is before the start"),
        (purchase(end="2026-12-02"), "720 h exceed the time from"),
        (
            "savings_plans: [{instance_type: p5.48xlarge, covers: spot, region: us-east-1, usd: 1,"
            " source: s, date: 2026-01-01}]\n",
            "expected one of ec2-on-demand, hyperpod-on-demand",
        ),
        ("usage: {logs/ingestion: {per_node_day: 1}}\n", "a quantity of GB per month"),
        ("usage: {logs/ingestion: {per_node_hour: -1}}\n", "a quantity of GB per month"),
        ("usage: {logs/ingestion: {}}\n", "a quantity of GB per month"),
        ("usage: {logs/ingestion: 1.0e+300}\n", "a quantity of GB per month"),
        (
            "rates: [{service: kms, item: key, region: us-east-1, usd: 1, unit: key-month,"
            " source: s, date: 2026-13-45}]\n",
            "is not a valid date",
        ),
        (
            "rates: [{service: kms, item: key, region: us-east-1, usd: 1, unit: key-month,"
            " source: s, date: '0000-01-01'}]\n",
            "is not a valid date",
        ),
        (
            "rates: [{service: kms, item: key, region: us-east-1, usd: 1.0e+12, unit: key-month,"
            " source: s, date: 2026-01-01}]\n",
            "must be at most 1,000,000,000 USD",
        ),
    ],
)
def test_what_cannot_be_an_agreement_is_refused_at_its_place(text: str, message: str) -> None:
    with pytest.raises(SpecErrors) as caught:
        parse(parse_document(text, "prices.yaml"))
    assert any(message in problem.message for problem in caught.value.problems), caught.value
    assert all(problem.position for problem in caught.value.problems)


# -- mixes --------------------------------------------------------------------------------------

TWO_RATES = (
    "rates:\n"
    "  - {instance_type: p5.48xlarge, kind: training-plan, region: us-east-1, usd: 45,"
    " unit: instance-hour, source: s, date: 2026-11-01}\n"
    "  - {instance_type: p5.48xlarge, kind: hyperpod-spot, region: us-east-1, usd: 20,"
    " unit: instance-hour, source: s, date: 2026-11-01}\n"
)


def mix(*shares: tuple[int, dict[str, Any]], fallback: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "kind": "mix",
        "shares": [{"percent": percent, "capacity": capacity} for percent, capacity in shares],
        "fallback": list(fallback),
    }


def test_a_blend_is_the_average_of_its_shares(tmp_path: Path) -> None:
    capacity = mix((75, PLAN), (25, {"kind": "spot"}), fallback=("on-demand",))
    bill = bill_of(tmp_path, {"compute.1.capacity": capacity}, TWO_RATES)
    (blend,) = bill.blends
    assert [(s.kind, s.instances, s.usd_per_instance_hour) for s in blend.shares] == [
        ("training-plan", 3, 45),
        ("spot", 1, 20),
    ]
    assert blend.hourly_usd == 3 * 45 + 20
    assert blend.usd_per_instance_hour == Decimal(155) / 4
    (fallback,) = blend.fallbacks
    assert (fallback.kind, fallback.instances, fallback.usd_per_instance_hour) == (
        "on-demand", 4, P5,
    )  # fmt: skip


def test_a_share_without_a_price_leaves_the_blend_unknown(tmp_path: Path) -> None:
    capacity = mix((50, {"kind": "on-demand"}), (50, {"kind": "spot"}))
    bill = bill_of(tmp_path, {"compute.1.capacity": capacity})
    assert (bill.blends[0].hourly_usd, bill.blends[0].usd_per_instance_hour) == (None, None)
    assert bill.total.at_least


@given(
    count=st.integers(2, 400),
    percent=st.integers(1, 99),
    rates=st.tuples(st.decimals("0.01", "200", places=2), st.decimals("0.01", "200", places=2)),
)
@settings(max_examples=60)
def test_a_blend_lies_between_its_extremes_and_loses_no_instance(
    tmp_path_factory: pytest.TempPathFactory,
    count: int,
    percent: int,
    rates: tuple[Decimal, Decimal],
) -> None:
    folder = tmp_path_factory.getbasetemp()
    plan, spot = rates
    capacity = mix((percent, PLAN), (100 - percent, {"kind": "spot"}))
    text = TWO_RATES.replace("usd: 20", "usd: <spot>").replace("usd: 45", f"usd: {plan}")
    text = text.replace("<spot>", str(spot))
    changes = {"compute.1.capacity": capacity, "compute.1.count": count}
    if Fraction(count * min(percent, 100 - percent), 100) < Fraction(1, 2):
        with pytest.raises(SpecErrors, match="no whole instance"):
            bill_of(folder, changes, text)
        return
    # Of two halves one is rounded up: a share of exactly half an instance may be none.
    assume(count * percent % 100 != 50)
    bill = bill_of(folder, changes, text)
    (blend,) = bill.blends
    assert sum(share.instances for share in blend.shares) == blend.instances == count
    assert min(rates) <= round(blend.usd_per_instance_hour or Decimal(0), 9) <= max(rates)
    off = abs(blend.shares[0].instances - Fraction(count * percent, 100))
    assert off <= Fraction(1, 2)


# -- properties of every bill ---------------------------------------------------------------------

SMALLEST = specs.changed({"storage.lustre": [specs.LUSTRE], "network.egress": "nat"})


def cluster_with(folder: Path, count: int, kind: str) -> Cluster:
    capacity = PLAN if kind == "training-plan" else {"kind": kind}
    data = specs.changed({"compute.1.count": count, "compute.1.capacity": capacity}, SMALLEST)
    return load_cluster(specs.write(folder / "spec.yaml", data)).cluster


@given(
    counts=st.tuples(st.integers(1, 6000), st.integers(1, 6000)).map(sorted),
    kind=st.sampled_from(["on-demand", "spot", "training-plan"]),
    per_node=st.decimals("0", "5", places=3),
)
@settings(max_examples=40)
def test_more_instances_never_cost_less_and_no_unknown_line_is_lost(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int], kind: str, per_node: Decimal
) -> None:
    folder = tmp_path_factory.getbasetemp()
    usage = {"nat_gateway/data processed": Usage(per_node, "node_hour")}
    small, large = (
        estimate(cluster_with(folder, count, kind), load_catalog(), today=TODAY, usage=usage)
        for count in counts
    )
    assert small.total.hourly_usd <= large.total.hourly_usd
    assert small.total.monthly_usd <= large.total.monthly_usd
    assert small.idle.hourly_usd <= large.idle.hourly_usd
    assert [line.item for line in small.unknown] == [line.item for line in large.unknown]
    for bill in (small, large):
        known = sum((line.monthly_usd or 0 for line in bill.lines), Decimal(0))
        assert bill.total.monthly_usd == pytest.approx(known)
        assert bill.total.unknown_lines == sum(line.monthly_usd is None for line in bill.lines)
        assert all(line.reason for line in bill.unknown)
        assert bill.idle.at_zero_hourly_usd <= bill.idle.hourly_usd <= bill.total.hourly_usd


@given(settled=st.sets(st.integers(0, 40)))
@settings(max_examples=30)
def test_a_rate_settles_its_own_lines_and_no_others(
    tmp_path_factory: pytest.TempPathFactory, settled: set[int]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    cluster = cluster_with(folder, 4, "spot")
    before = estimate(cluster, load_catalog(), today=TODAY)
    entries = list(dict.fromkeys(line.rate for line in before.lines if line.rate))
    chosen = [entry for index, entry in enumerate(entries) if index in settled]
    rates = [
        parse_document("a: " + entry.replace("usd: ...", "usd: 2").replace("...", "x"), "x").data[
            "a"
        ]
        for entry in chosen
    ]
    after = estimate(cluster, load_catalog(prices_override=rates), today=TODAY)
    assert [line.item for line in after.lines] == [line.item for line in before.lines]
    for old, new in zip(before.lines, after.lines, strict=True):
        if old.rate in chosen:
            assert (new.unit_price_usd, new.origin) == (2, "user")
        else:
            assert new.unit_price_usd == old.unit_price_usd


def test_what_was_agreed_does_not_grow_old_and_a_rate_does(tmp_path: Path) -> None:
    text = purchase(date="2024-01-01") + TestSavingsPlans().text().replace(
        "2026-06-30", "2024-01-01"
    )
    bill = bill_of(tmp_path, {"compute.1.capacity": PLAN}, text)
    assert not [line for line in compute(bill) if line.stale]
    old = TWO_RATES.replace("2026-11-01", "2026-08-21")
    rated = bill_of(tmp_path, {"compute.1.capacity": PLAN}, old)
    assert [line.stale for line in compute(rated)] == [False, True]
    assert any("older than 90 days, or undated (compute" in text for text in rated.warnings)


def test_a_savings_plan_of_another_type_is_on_another_bill(tmp_path: Path) -> None:
    text = TestSavingsPlans().text("100").replace("p5.48xlarge", "g5.8xlarge")
    assert len(compute(bill_of(tmp_path, text=text))) == 2


class TestSupport:
    """10 % up to 10,000 USD, 7 % up to 80,000, 3 % above, at least 100."""

    TIERS = "[{up_to_usd: 10000, percent: 10}, {up_to_usd: 80000, percent: 7}, {percent: 3}]"

    def text(self, tiers: str = TIERS, **more: Any) -> str:
        keys = "".join(f", {key}: {value}" for key, value in more.items())
        return f"support: {{tiers: {tiers}, source: s, date: 2026-11-01{keys}}}\n"

    @pytest.mark.parametrize(
        ("spending", "usd"),
        [(0, 100), (500, 100), (10_000, 1000), (20_000, 1700), (80_000, 5900), (180_000, 8900)],
    )
    def test_each_tier_charges_its_part(self, spending: int, usd: int) -> None:
        plan = terms(self.text(minimum_usd=100)).support
        assert plan is not None
        assert charge(plan, Decimal(spending)) == usd

    def test_the_share_is_what_this_cluster_adds(self, tmp_path: Path) -> None:
        month = 4 * P5 * 730
        alone = {line.component: line for line in bill_of(tmp_path, text=self.text()).lines}
        assert alone["support"].monthly_usd == 5900 + (month - 80_000) * Decimal("0.03")
        beside = bill_of(tmp_path, text=self.text(other_monthly_usd=80_000))
        share = {line.component: line for line in beside.lines}["support"]
        assert share.monthly_usd == month * Decimal("0.03")
        assert (share.origin, share.known) == ("user", True)
        assert beside.total.monthly_usd == month * Decimal("1.03")

    @pytest.mark.parametrize(
        ("tiers", "message"),
        [
            ("[]", "expected a list of tiers"),
            ("[{percent: 10}, {percent: 5}]", "the previous tier has no upper limit"),
            ("[{up_to_usd: 10, percent: 10}]", "the last tier must not have `up_to_usd`"),
            (
                "[{up_to_usd: 10, percent: 1}, {up_to_usd: 5, percent: 1}, {percent: 1}]",
                "must increase",
            ),
            ("[{percent: -1}]", "expected a percentage"),
            ("[1]", "must be a mapping"),
        ],
    )
    def test_tiers_that_make_no_sense_are_refused(self, tiers: str, message: str) -> None:
        with pytest.raises(SpecErrors, match=message):
            terms(self.text(tiers))


@pytest.mark.parametrize(
    ("platform", "lines"), [("hyperpod-eks", 1), ("eks", 1), ("hyperpod-slurm", 0)]
)
def test_platforms_on_eks_pay_for_the_control_plane(
    tmp_path: Path, platform: str, lines: int
) -> None:
    cluster = specs.unchecked(tmp_path, {"platform": platform}).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    found = [line for line in bill.lines if line.component == "kubernetes"]
    assert [line.hourly_usd for line in found] == [Decimal("0.1")] * lines
    compute = [line for line in bill.lines if line.component == "compute"]
    assert len({line.source for line in compute if line.group == "workers"}) == 1


@pytest.mark.parametrize(
    ("version", "support", "day", "rate", "words"),
    [
        ("1.35", "standard", "2026-11-20", "0.1", "on 2027-03-27 EKS upgrades 1.35 automatically"),
        ("1.34", "extended", "2026-11-20", "0.1", "from 2026-12-02, the rate of extended"),
        ("1.34", "extended", "2026-12-02", "0.6", "the standard support of 1.34 ended on"),
        ("1.32", "extended", "2026-11-20", "0.6", "the standard support of 1.32 ended on"),
        ("1.99", "standard", "2026-11-20", "0.1", "no source states the end"),
    ],
)
def test_a_control_plane_costs_the_rate_of_its_versions_support(
    tmp_path: Path, version: str, support: str, day: str, rate: str, words: str
) -> None:
    kubernetes = {"version": version, "support": support}
    spec = {"platform": "eks", "kubernetes": kubernetes}
    cluster = specs.unchecked(tmp_path, spec).cluster
    bill = estimate(cluster, load_catalog(), today=dt.date.fromisoformat(day))
    (line,) = [line for line in bill.lines if line.component == "kubernetes"]
    assert line.hourly_usd == Decimal(rate)
    assert words in line.note


def test_what_parallelcluster_makes_for_itself_is_on_the_bill(tmp_path: Path) -> None:
    spec = {
        "platform": "parallelcluster",
        "parallelcluster": {"root_volume_gib": 200},
        "slurm": {"accounting": {"kind": "none"}},
    }
    cluster = specs.unchecked(tmp_path, spec).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    roots = {line.group: line.quantity for line in bill.lines if line.item.endswith(", root")}
    counts = {group.name: group.count for group in cluster.compute}
    sizes = {group.name: 200 if group.role == "compute" else 45 for group in cluster.compute}
    assert roots == {name: counts[name] * sizes[name] for name in counts}
    made = {line.item for line in bill.lines if line.component == "parallelcluster"}
    assert "ParallelCluster's shared storage on EFS" in made
    assert "ParallelCluster's dashboard" in made
    compute = [line for line in bill.lines if line.component == "compute"]
    assert all(not line.item.partition(": ")[2].startswith("ml.") for line in compute)


@pytest.mark.parametrize("egress", ["closed", "nat"])
def test_names_of_nodes_are_in_route_53_where_it_is_reached(tmp_path: Path, egress: str) -> None:
    spec = {
        "platform": "parallelcluster",
        "network": {"availability_zone_id": "use1-az6", "egress": egress},
        "slurm": {"accounting": {"kind": "none"}},
    }
    cluster = specs.unchecked(tmp_path, spec).cluster
    items = {line.item for line in estimate(cluster, load_catalog(), today=TODAY).lines}
    assert ("names of nodes in Route 53" in items) == (egress == "nat")


def test_the_root_volumes_of_an_image_of_ones_own_are_unknown(tmp_path: Path) -> None:
    spec = {
        "platform": "parallelcluster",
        "image": {"image_id": "ami-0123456789abcdef0"},
        "slurm": {"accounting": {"kind": "none"}},
    }
    cluster = specs.unchecked(tmp_path, spec).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    roots = [line for line in bill.lines if line.item.endswith(", root")]
    assert roots
    assert all(line.quantity is None for line in roots)

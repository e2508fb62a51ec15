"""The network: EFA, Ethernet, and LNet."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row
from clusterwright.monitoring.selectors import growth, on_nodes, rate


def dashboard(facts: Facts) -> Dashboard:
    """Traffic and faults of interfaces."""
    return Dashboard(
        name="network",
        title="Network",
        description="Traffic and faults of EFA, of Ethernet and of Lustre's network, and the"
        " bandwidth of NCCL in jobs that load NCCL Inspector.",
        variables=("group", "node"),
        rows=(_traffic(), _faults(), _nccl(), _others()),
    )


def _by_node(metric: str, legend: str) -> Query:
    return Query(f"sum by (node) ({rate(on_nodes(metric))})", "{{node}} " + legend)


def _grown(metric: str, legend: str) -> Query:
    """Devices on which a counter grew."""
    return Query(f"{growth(on_nodes(metric))} > 0", "{{node}} {{device}} " + legend)


def _traffic() -> Row:
    balance = rate(on_nodes("efa_tx_bytes_total"))
    return Row(
        "EFA: traffic",
        (
            Panel("Bytes", "Bytes per second over all EFA interfaces of a node.", "Bps",
                  (_by_node("efa_tx_bytes_total", "sent"),
                   _by_node("efa_rx_bytes_total", "received"))),
            Panel("RDMA", "Bytes per second that RDMA moved: reads, and writes where the interface"
                  " supports them.", "Bps",
                  (_by_node("efa_rdma_read_bytes_total", "read"),
                   _by_node("efa_rdma_write_bytes_total", "written"))),
            Panel("Packets", "Packets per second.", "pps",
                  (_by_node("efa_tx_pkts_total", "sent"),
                   _by_node("efa_rx_pkts_total", "received"))),
            Panel("Quietest interface", "Bytes sent per second by the interface of each node that"
                  " sends the least. Far below the others of a busy node, a job does not use it.",
                  "Bps", (Query(f"min by (node) ({balance})", "{{node}}"),)),
        ),
    )  # fmt: skip


def _faults() -> Row:
    sent = rate(on_nodes("efa_tx_bytes_total"))
    again = rate(on_nodes("efa_retrans_bytes_total"))
    return Row(
        "EFA: faults",
        (
            Panel("Interfaces that are not active", "Ports whose state is not ACTIVE.", "short",
                  (Query(f"{on_nodes('efa_port_active')} == 0", "{{node}} {{device}}"),)),
            Panel("Peers that do not answer", "Growth of the counters of connections whose other"
                  " side is unresponsive or impaired: another node died, or its path is bad.",
                  "short",
                  (_grown("efa_unresponsive_remote_events_total", "unresponsive"),
                   _grown("efa_impaired_remote_conn_events_total", "impaired")), alarm_at=1),
            Panel("Retransmitted share", "Bytes sent again, of bytes sent.", "percentunit",
                  (Query(f"sum by (node) ({again}) / sum by (node) ({sent})", "{{node}}"),),
                  warn_at=0.001),
            Panel("Timeouts of retransmission", "Growth of the counter.", "short",
                  (_grown("efa_retrans_timeout_events_total", ""),), warn_at=1),
            Panel("Dropped packets", "Received packets that were dropped.", "short",
                  (_grown("efa_rx_drops_total", ""),), warn_at=1),
            Panel("Errors of the driver", "Commands, memory registrations and RDMA operations that"
                  " failed.", "short",
                  (_grown("efa_cmds_err_total", "commands"),
                   _grown("efa_reg_mr_err_total", "memory registrations"),
                   _grown("efa_rdma_read_wr_err_total", "RDMA reads"),
                   _grown("efa_rdma_write_wr_err_total", "RDMA writes")), alarm_at=1),
        ),
    )  # fmt: skip


def _nccl() -> Row:
    """Means over GPUs, communicators of one size and algorithms."""

    def of_jobs(function: str, metric: str, operation: str, unit: str) -> Query:
        shape = f"job_id, {operation}, n_nodes, nranks, message_size"
        legend = " ".join(f"{{{{{label}}}}}" for label in shape.split(", "))
        return Query(f"{function} by ({shape}) ({on_nodes(metric)}) * {unit}", legend)

    gb, microsecond = "1e9", "1e-6"

    return Row(
        "NCCL, of jobs with NCCL Inspector",
        (
            Panel("Bus bandwidth of collectives", "Mean of the GPUs: compare it with the"
                  " accepted figure of the same number of nodes and size.", "Bps",
                  (of_jobs("avg", "nccl_bus_bandwidth_gbs", "collective", gb),)),
            Panel("Longest collectives", "Of the slowest GPU.", "s",
                  (of_jobs("max", "nccl_collective_exec_time_microseconds", "collective",
                           microsecond),)),
            Panel("Bus bandwidth of transfers", "Between two GPUs, mean of the GPUs.", "Bps",
                  (of_jobs("avg", "nccl_p2p_bus_bandwidth_gbs", "p2p_operation", gb),)),
            Panel("Longest transfers", "Of the slowest GPU.", "s",
                  (of_jobs("max", "nccl_p2p_exec_time_microseconds", "p2p_operation",
                           microsecond),)),
        ),
    )  # fmt: skip


def _others() -> Row:
    other = 'device!="lo"'

    def ethernet(metric: str) -> str:
        return f"sum by (node) ({rate(on_nodes(metric, other))})"

    messages = rate(on_nodes("lustre_lnet_messages_total"))
    return Row(
        "Ethernet and LNet",
        (
            Panel("Ethernet", "Bytes per second over the interfaces of Linux, without lo.", "Bps",
                  (Query(ethernet("node_network_transmit_bytes_total"), "{{node}} sent"),
                   Query(ethernet("node_network_receive_bytes_total"), "{{node}} received"))),
            Panel("Drops and errors of Ethernet", "Packets per second.", "pps",
                  (Query(ethernet("node_network_receive_drop_total"), "{{node}} drops"),
                   Query(ethernet("node_network_receive_errs_total"), "{{node}} errors")),
                  warn_at=1),
            Panel("Messages of LNet", "Messages per second of Lustre's network, by network and"
                  " direction.", "ops",
                  (Query(f"sum by (node, net, direction) ({messages})",
                         "{{node}} {{net}} {{direction}}"),)),
            Panel("Interfaces of LNet that are down", "Interfaces that LNet does not have up.",
                  "short", (Query(f"{on_nodes('lustre_lnet_up')} == 0", "{{node}} {{nid}}"),)),
        ),
    )  # fmt: skip

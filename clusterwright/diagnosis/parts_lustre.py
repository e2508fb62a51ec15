"""Parts of Lustre's client and of LNet, by the files that their lines name and by their words.

Source: lustre/lustre-release (2.15 to 2.17), messages of CERROR and LCONSOLE_ERROR in llite, mdc,
osc, lov, lmv, mgc, ptlrpc, ldlm, obdclass and lnet, read 2026-11.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import parts
from clusterwright.diagnosis.parts import Part, part

CLIENT: Final[tuple[Part, ...]] = (
    part(
        "the versions or settings of the client and the servers do not fit each other",
        r"compatible version|version (?:of|mismatch|\d)|not (?:compatible|supported by)|upgrade|"
        r"wrong version|feature",
    ),
    part(
        "security of requests (Kerberos, shared keys) fails: keys, daemons or clocks",
        r"\bgss\b|kerberos|krb5|sptlrpc|security (?:context|token|flavor)",
        r"^gss_|^sec_|^sec\.c",
    ),
    part(
        "data that was read or written differs from what was sent (a checksum): the network or "
        "the memory of the node or a server",
        r"checksum|cksum|BAD (?:READ|WRITE)",
        depth=None,
    ),
    part(
        "the servers are in recovery after a restart or failover; the client waits for them or "
        "was left out",
        r"recovery|failover|replay",
        depth=1,
    ),
    part(
        "a tool that the kernel calls to set a parameter (lctl) is missing or fails on the node",
        r"upcall|\blctl\b",
        depth=None,
    ),
    part(
        "it cannot be mounted: the name, the mount options, the management server (MGS) or its "
        "configuration",
        r"mount|\bMGS\b|\bMGC\b|fill_super|configuration from log|root\b|super ?block|\bNIDs?\b",
        r"^obd_mount|^mgc_|^super25|^llog|^obd_config",
        depth=2,
    ),
    part(
        "the connection to a server cannot be made or is not valid: the server, the network to it "
        "or the security group (ports 988 and 1018-1023)",
        r"connect|import\b|LNet(?:Put|Get)|bulk|ENOTCONN|no (?:network|route)|not available|"
        r"timed? ?out|unreachable|reconnect",
        r"^import|^niobuf|^pinger|^events|^connection|^client\.c",
        depth=1,
    ),
    part(
        "locks of the file system (LDLM) cannot be taken or given back: a server that is slow or "
        "was restarted, or an eviction",
        r"\bldlm_|lock(?:s|ed|ing)?\b|glimpse|\bflock\b",
        r"^ldlm_|^(?:mdc|osc)_lock",
        depth=3,
    ),
    part(
        "storage targets, or the layout of files over them (stripes), cannot be used: a target is "
        "not set up, or a layout is damaged or not known to this version of the client",
        r"layout|stripe|\bLSM\b|\bLMM\b|\blcm\b|\blov\b|\blum\b",
        r"^lov_|^lmv_|^lsm_",
        depth=3,
    ),
    part(
        "memory of the client is used up",
        r"out of memory|allocat\w*|no memory|\bpool",
    ),
    part(
        "metadata of a folder or file cannot be read from the metadata server (MDS)",
        r"\bMDS\b|\bMDT\b|\bFID\b|getattr|inode|directory|readdir|dentry|lookup|statahead|xattr|"
        r"\bacl\b",
        r"^mdc_|^dir\.c|^file\.c|^namei|^statahead|^xattr|^fid_|^fld_|^dcache|^symlink",
        depth=3,
    ),
    part(
        "data of a file cannot be read from or written to a storage target (OST)",
        r"\bOST\b|\bread|\bwrit|page|grant|dirty",
        r"^osc_|^rw|^vvp_|^cl_|^glimpse",
        depth=3,
    ),
    part(
        "a message between the client and a server is damaged or not understood: their versions, "
        "or the network",
        r"msg|buffer|unpack|opc\b|opcode|reply|request",
        r"^pack_generic|^layout|^wiretest|^ptlrpc|^service",
        depth=3,
    ),
)
"""By the file of a LustreError line and its words; in the order in which they are tried."""

LNET: Final[tuple[Part, ...]] = (
    part(
        "memory of the node is used up for it",
        r"out of memory|no memory|ENOMEM|can't allocate|failed to (?:allocate|create \w+ pool)",
    ),
    part(
        "its configuration (lnet.conf, lnetctl, module options) is not valid or names an "
        "interface that the node does not have",
        r"invalid pattern|parse|syntax|bad \w+ (?:network|value|action|cpt)|too many (?:matched|"
        r"networks)|configur|interface|no such device|tunable|module parameter|"
        r"not (?:a )?local nid",
        r"^config\.c|^nidstrings|^udsp|^lib-cpt|^module",
    ),
    part(
        "a peer refuses or resets its connections: Lustre does not run there, the port 988 is "
        "closed, or the versions differ",
        r"refus|reject|was reset|compatible version|no matching ni|unknown (?:protocol|message|"
        r"type)|hello|magic|asymmetrical",
        r"^acceptor|^socklnd_proto",
        depth=1,
    ),
    part(
        "a peer does not answer, or the connection to it breaks: its node, the network between "
        "or the security group",
        r"timed? ?out|no route|unreach|lost|dead|not (?:alive|healthy)|recover|discover|connect|"
        r"dropping|ADDR ERROR|send|closed?\b|error sending|error reading|stale",
        r"^socklnd|^lib-move|^peer|^router|^lib-socket|^lib-msg|^o2iblnd_cb|^kefalnd|^efalnd",
        depth=2,
    ),
    part(
        "the interface of RDMA or EFA that it uses fails: its device, driver or queue",
        r"\bib_\w+|rdma|\bQP\b|\bCQ\b|fmr|fastreg|device removal|failover|efa",
        r"^o2iblnd|^kfilnd|^kefalnd|^efalnd",
        depth=1,
    ),
)
"""The same of an LNetError line."""


def client(message: str, place: str = "", answer: str = "") -> str:
    """What is wrong by a line of the client, the file that it names and what rc says."""
    said = parts.wrong_part(CLIENT, parts.own_words(message), place)
    start = f"Lustre: {said}" if said else "Lustre: the client reports an error"
    return f"{start}: {answer + ': ' if answer else ''}{message}"


def network(message: str, place: str = "", answer: str = "") -> str:
    """What is wrong by a line of LNet."""
    said = parts.wrong_part(LNET, parts.own_words(message), place)
    start = (
        f"Lustre: LNet: {said}"
        if said
        else (
            "Lustre: LNet's network does not work (interface down, no route, or EFA not "
            "configured)"
        )
    )
    return f"{start}: {answer + ': ' if answer else ''}{message}" if message else start

"""Networks: addresses, security groups, endpoints, names, routes."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature

_CHECK: Final = "clusterwright check {file} --only {rules}"
_REACH: Final = r"(?:timed? ?out|time-out|refused|unreachable|could not connect|failed to connect)"

SIGNATURES: Final = (
    Signature(
        "ena",
        "network: an interface of the node (ENA) does not work: its driver gets no answer from the device: "
        "{reason}",
        (
            r"\bena \S+(?: \S+)?: (?P<reason>(?:TX hasn't completed|Reset indication didn't turn|Keep alive "
            r"watchdog timeout|Found a Tx that wasn't completed|Failed to (?:init|create|reset|enable)|"
            r"Unable to|Invalid|[^\n]{0,60}admin queue)[^\n]{0,120})",
        ),
        confidence="likely",
        per_node=True,
        kinds=("log",),
        next=("clusterwright node reboot {file} {nodes} --because {because}",),
    ),
    Signature(
        "subnet-addresses",
        "network: the subnet[ {subnet}] has not enough free IP addresses",
        (
            r"InsufficientFreeAddresses\w*|InsufficientCidrBlocks|FreeAddressesInSubnet",
            r"(?:(?:not|n't) (?:have )?(?:enough|sufficient)|insufficient|no|few|lacks?|run out of|"
            r"ran out of)\s+(?:free |available |unused )*(?:private )?(?:ip(?:v4)? )?addresses",
            r"(?:IP|address) (?:space )?exhaust",
        ),
        next=("aws ec2 describe-subnets --subnet-ids {subnet} --region {region}", _CHECK),
        rules=("CW-N003", "CW-N009", "CW-N010"),
    ),
    Signature(
        "pod-addresses",
        "network: a pod gets no IP address from EKS's VPC CNI: the addresses of the node's interfaces are "
        "used up (its type limits the pods), the subnet has none left, or ipamd does not work; its "
        "log (ipamd.log) says which",
        (r"failed to assign an IP address to (?:container|pod)",),
        confidence="likely",
        next=(_CHECK, "kubectl get events --all-namespaces"),
        rules=("CW-N003", "CW-N009", "CW-N010"),
    ),
    Signature(
        "lustre-ports-closed",
        "network: the security groups do not allow Lustre's traffic (ports 988 and 1018-1023)",
        (
            r"do(?:es)? not permit Lustre LNET network traffic on port 988",
            r"security group.{0,80}\b988\b|\b988\b.{0,80}(?:security group|closed|refused|"
            r"blocked|not allowed|timed out)",
        ),
        next=(_CHECK, "clusterwright drift {file}"),
        rules=("CW-N008",),
    ),
    Signature(
        "efa-health-check",
        "network: EFA's health check failed on new nodes: their security group does not allow all "
        "traffic from and to itself, or the failure was transient",
        (r"EFA health checks? (?:did not run|failed|was not|were not)",),
        confidence="likely",
        next=(
            _CHECK,
            "clusterwright drift {file}",
            "clusterwright node replace {file} {nodes} --because 'EFA health check failed'",
        ),
        rules=("CW-N008",),
    ),
    Signature(
        "security-group-closed",
        "network: the security groups do not allow traffic that the service requires[: {reason}]",
        (
            r"security group(?:\(s\)|s)?[^\n]{0,60}do(?:es)? not (?:allow|permit) (?P<reason>(?:in|out)bound[^\n]{3,120}?port"
            r"[^\n]{0,60})",
        ),
        next=(_CHECK, "clusterwright drift {file}"),
        rules=("CW-N008", "CW-S023"),
    ),
    Signature(
        "security-group-self",
        "network: the security group[ {security_group}] does not allow traffic between its members "
        "in both directions (EFA needs it)",
        (
            r"security group.{0,120}(?:self[- ]referenc|to itself|from itself|itself as)",
            r"EFA.{0,60}security group|security group.{0,60}\bEFA\b",
        ),
        next=(_CHECK, "clusterwright drift {file}"),
        rules=("CW-N008",),
    ),
    Signature(
        "security-group-missing",
        "network: the security group[ {security_group}] does not exist, or is in another VPC",
        (
            r"InvalidGroup\.NotFound|InvalidGroupId\.\w+|Ec2SecurityGroupNotFound",
            r"security group.{0,120}(?:does not exist|not found|cannot be found|another VPC|"
            r"different network|invalid)",
        ),
        next=(
            "aws ec2 describe-security-groups --group-ids {security_group} --region {region}",
            _CHECK,
        ),
        rules=("CW-N008",),
    ),
    Signature(
        "subnet-missing",
        "network: the subnet[ {subnet}] does not exist, or cannot be used for this",
        (
            r"InvalidSubnet(?:ID)?\.\w+|Ec2Subnet(?:NotFound|InvalidConfiguration|"
            r"MissingIpv6Assignment)|DBSubnetGroupDoesNotCoverEnoughAZs",
            r"subnets?.{0,60}(?:does not exist|do not exist|not found|cannot be found|another VPC|"
            r"different vpc|not in the same|must be in)",
            r"DB Subnet Group.{0,80}(?:Availability Zone|coverage)",
        ),
        next=("aws ec2 describe-subnets --subnet-ids {subnet} --region {region}", _CHECK),
        rules=("CW-N007", "CW-N013", "CW-N027"),
    ),
    Signature(
        "vpc-tenancy",
        "EKS: the VPC has dedicated tenancy, and EKS accepts only VPCs with default tenancy",
        (r"VPC with unsupported tenancy",),
        next=(_CHECK,),
        rules=("CW-N035",),
    ),
    Signature(
        "vpc-differs",
        "network: two resources that must be in one VPC are in different VPCs: {reason}",
        (
            r"(?P<reason>[^\n\":]{3,120} (?:are in|belong to|is in|are from) (?:a )?different (?:VPC|network)s?)",
        ),
        next=(_CHECK,),
        rules=("CW-N007",),
    ),
    Signature(
        "vpc-missing",
        "network: the VPC does not exist",
        (r"InvalidVpcID\.NotFound|VpcNotFound", r"\bvpc-\w+.{0,40}(?:does not exist|not found)"),
        next=(_CHECK,),
        rules=("CW-N006",),
    ),
    Signature(
        "endpoint-conflict",
        "network: a private DNS name of the endpoint exists already in this VPC[ ({endpoint})]",
        (
            r"private[- ]dns[- ]enabled cannot be set because there is already a conflicting DNS",
            r"conflicting DNS domain",
        ),
        next=("aws ec2 describe-vpc-endpoints --region {region}", _CHECK),
        rules=("CW-N022", "CW-N026"),
    ),
    Signature(
        "endpoint-service",
        "network: the endpoint service[ {endpoint}] is not offered in this region or zone",
        (
            r"InvalidServiceName|Vpc Endpoint Service.{0,80}does not (?:exist|support)",
            r"endpoint service.{0,60}(?:does not exist|not available|does not support the "
            r"availability zone)",
        ),
        next=("aws ec2 describe-vpc-endpoint-services --region {region}",),
    ),
    Signature(
        "vpc-dns",
        "network: DNS support or DNS host names are disabled in the VPC",
        (
            r"enableDns(?:Support|Hostnames)|DNS (?:support|hostnames?|resolution).{0,40}"
            r"(?:must be enabled|disabled|not enabled)",
        ),
        next=(_CHECK,),
        rules=("CW-N011", "CW-N026"),
    ),
    Signature(
        "cidr-conflict",
        "network: an address range conflicts with another one of the VPC",
        (
            r"CIDR.{0,60}(?:conflicts? with|overlaps?)|InvalidSubnet\.(?:Conflict|Range)"
            r"|InvalidVpcRange|overlapping CIDR",
            r"route.{0,60}already exists|RouteAlreadyExists",
        ),
        next=(_CHECK,),
        rules=("CW-N017", "CW-N020"),
    ),
    Signature(
        "certificate",
        "network: a TLS certificate is not trusted: a proxy or mirror signs with an authority that "
        "the nodes do not have, it has expired, or the clock is wrong",
        (
            r"CERTIFICATE_VERIFY_FAILED|SSLCertVerificationError|SSL certificate problem|"
            r"certificate (?:verify failed|verification failed|(?:has |is )?expired|is not (?:trusted|valid yet|yet "
            r"valid))|"
            r"\bx509: ",
        ),
        confidence="likely",
        kinds=("log", "job", "daemon", "node-status"),
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        # CoreDNS answers names of the cluster itself; only a cache in front of it asks for them.
        "node-dns-cache",
        "Kubernetes: the DNS cache of a node (NodeLocal DNSCache) gets no answer from CoreDNS at "
        "{address}: its pods do not run or have too much to do, or kube-proxy, the network plug-in "
        "or a security group of that node does not let the requests through",
        (
            r"plugin/errors: \d \S{1,253}\.svc\.\S{1,80} \w{1,8}: (?:read|dial|write) (?:udp|tcp) "
            r"(?:\S{3,60}->)?(?P<address>\S{3,60}):53: [^\n]{0,60}(?:i/o timeout|refused|"
            r"unreachable|no route)",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=(
            "kubectl get pods --namespace kube-system --selector k8s-app=kube-dns -o wide",
            "kubectl get pods --namespace kube-system --selector k8s-app=node-local-dns -o wide",
        ),
    ),
    Signature(
        "cluster-dns",
        "Kubernetes: CoreDNS gets no answer (DNS) from the resolver of the VPC: too many queries of one "
        "network interface, or a security group or route that does not allow port 53",
        (
            r"plugin/errors: \d \S{1,253} \w{1,8}: (?:read|dial|write) (?:udp|tcp)[^\n]{0,120}(?:i/o timeout|"
            r"refused|unreachable|no route)",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=(
            "kubectl get pods --namespace kube-system --selector k8s-app=kube-dns -o wide",
            _CHECK,
        ),
        rules=("CW-N011",),
    ),
    Signature(
        "api-server",
        "Kubernetes: the cluster's API server is not reached from the pod or the node: kube-proxy or the "
        "network plug-in does not work there, or a security group or route blocks it",
        (
            r"(?:Failed to (?:list|watch) \*|couldn't get current server API|Unable to connect to the server|"
            r"failed to (?:get|list|watch|update|renew)\b)(?:(?!proxyconnect)[^\n]){0,300}dial tcp [^\n]{1,80}:(?:443|6443): [^\n]{0,40}"
            r"(?:i/o timeout|no route|unreachable)",
            # kubectl, StandardErrorMessage: also what net/http and connect(2) say, but of the server, not of
            # its name or of a proxy.
            r"(?:^|(?<!\w:)\s|\b(?:kubectl|error): )Unable to connect to the server: (?:dial tcp [^\s:]{1,60}:\d+: "
            r"[^\n]{0,40}(?:i/o timeout|timed out|no route|unreachable)|net/http: (?:TLS handshake timeout|"
            r"request cancell?ed)|context deadline exceeded|Connection timed out)",
            # Any client in Go, by the path that it asks for.
            r"\bhttps://[^\s\"]{3,120}/apis?/[^\s\"]{2,200}\\?\"?: (?:dial tcp [^\n]{1,80}: [^\n]{0,40}"
            r"(?:i/o timeout|no route|unreachable)|net/http: request cancell?ed[^\n]{0,60}"
            r"Timeout exceeded|context deadline exceeded)",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=("kubectl get pods --namespace kube-system -o wide", _CHECK),
    ),
    Signature(
        # client-go, tools/leaderelection; controller-runtime, pkg/manager.
        "leader-lost",
        "Kubernetes: a controller could not renew its lease in time and ended, to be started again: the "
        "API server or etcd did not answer, or its node was overloaded",
        (
            # Programs that call it information end so when they are asked to.
            r"^(?![^\n]{0,80}?\b(?-i:I)\d{4} \d\d:)[^\n]*?\] stopped leading\b|\bleader ?election lost\b|"
            r"failed to renew lease(?: \S{3,120}: |\"? lock[=:] ?\"?\S{3,120} err[=:] ?\"?)"
            r"[^\n]{0,120}?(?:timed out|deadline|timeout|refused)|"
            r"Failed to update lock: [^\n]{0,120}(?:timed out|deadline|refused|timeout)",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=("kubectl get pods --namespace kube-system -o wide",),
    ),
    Signature(
        "endpoint-unreachable",
        "network: nodes do not reach the AWS endpoint {endpoint}: the VPC has no endpoint or route "
        "for it, or a security group or policy blocks it",
        (
            r"(?:Connect timeout on endpoint URL|Could not connect to the endpoint URL|"
            r"Read timeout on endpoint URL|EndpointConnectionError).{0,300}",
            r"ConnectTimeoutError.{0,200}amazonaws\.com",
            # A webhook's name may be of this domain, and is no host.
            r"^(?![^\n]*call(?:ing)? webhook)[^\n]*?"
            + _REACH
            + r".{0,200}(?P<endpoint>(?<![\w.-])(?:[a-z0-9-]+\.)+amazonaws\.com(?:\.cn)?)",
            r"^(?![^\n]*call(?:ing)? webhook)[^\n]*?"
            r"(?P<endpoint>(?<![\w.-])(?:[a-z0-9-]+\.)+amazonaws\.com(?:\.cn)?).{0,200}" + _REACH,
            r"(?:resolve|resolution|lookup|Name or service not known).{0,200}"
            r"(?P<endpoint>(?<![\w.-])(?:[a-z0-9-]+\.)+amazonaws\.com(?:\.cn)?)",
            r"(?P<endpoint>(?<![\w.-])(?:[a-z0-9-]+\.)+amazonaws\.com(?:\.cn)?).{0,200}"
            r"(?:resolve|resolution|no such host|Name or service not known)",
        ),
        confidence="likely",
        next=(_CHECK, "clusterwright drift {file}"),
        rules=("CW-N022", "CW-N023", "CW-N025", "CW-N030"),
        kinds=("log", "node-status", "cluster-event", "stack-event", "daemon"),
    ),
    Signature(
        "internet-unreachable",
        "network: nodes do not reach {host}: the network is closed (no route to the internet) or "
        "the name cannot be resolved; mirror what is downloaded",
        (
            r"Could not resolve host:? '?(?P<host>[\w.-]+)",
            r"Failed to (?:establish a new connection|connect to (?P<host>[\w.-]+\.\w+))",
            r"Could not connect to (?P<host>[\w.-]+\.\w+):\d+",
            r"Cannot initiate the connection to (?P<host>[\w.-]+):\d+",
            r"(?:unable to access|Failed to fetch|error downloading|curl: \(\d+\)|"
            r"Retrying \(Retry|wget: )[^\n]{0,80}?(?:https?://|host=')(?P<host>[\w.-]+\.\w+)",
            r"dial tcp:? (?:lookup )?(?P<host>[\w.-]+\.[a-z]{2,}).{0,80}(?:no such host|timeout|"
            r"i/o timeout|refused)",
            r"HTTPS?ConnectionPool\(host='(?P<host>[\w.-]+)'.{0,300}(?:timed out|unreachable|"
            r"resolution|refused|Max retries)",
            r"Temporary failure resolving '(?P<host>[\w.-]+)'",
            r"\b(?:Get|Head|Post|Put) \"?https?://(?P<host>(?![\w.-]+\.svc\b)[\w.-]+\.[a-z]{2,})"
            r"[^\n]{0,200}(?:timeout|timed out|cancell?ed while|refused|unreachable)",
            r"(?:connection (?:to|with) )(?P<host>[\w.-]+\.[a-z]{2,})(?::\d+)? (?:timed out|failed)",
            r"(?:ssh: connect to|connecting to) (?:host )?(?P<host>[\w-]+\.[\w.-]+) port \d+: "
            r"(?:Connection timed out|No route)",
        ),
        confidence="likely",
        next=("clusterwright artefacts check {file}", _CHECK),
        rules=("CW-N022", "CW-L006"),
        kinds=("log", "node-status", "daemon", "scheduler-node"),
    ),
    Signature(
        "pip-offline",
        "network: pip finds no package: the index is not reachable from the closed network, or "
        "does not have {package}",
        (
            r"No matching distribution found for (?P<package>\S+)",
            r"Could not find a version that satisfies the requirement (?P<package>\S+)",
        ),
        confidence="likely",
        kinds=("log",),
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "apt-offline",
        "network: apt or dnf cannot download packages[ ({package})]: the repository is not "
        "reachable from the closed network, or does not have them",
        (
            r"(?<!\w)E: (?:Unable to locate package|Package) (?P<package>\S+)",
            r"(?<!\w)E: (?:Failed to fetch|Unable to fetch some archives)",
            r"(?:Cannot download|Failed to download) (?:metadata|repomd|packages?)",
            r"Error: Unable to find a match: (?P<package>\S+)",
        ),
        confidence="likely",
        kinds=("log",),
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "name-resolution",
        "network: a name cannot be resolved (DNS)",
        (
            r"Temporary failure in name resolution|Name or service not known|"
            r"nodename nor servname provided|getaddrinfo.{0,40}fail|NXDOMAIN|SERVFAIL|"
            r"no such host",
        ),
        confidence="likely",
        rank=1,
        next=(_CHECK,),
        rules=("CW-N011", "CW-N026"),
        kinds=("log", "daemon", "node-status"),
    ),
    Signature(
        "route",
        "network: no route to the destination, or the network is unreachable",
        (r"Network is unreachable|No route to host|EHOSTUNREACH|ENETUNREACH",),
        confidence="likely",
        rank=1,
        next=(_CHECK,),
        rules=("CW-N022", "CW-N025"),
        kinds=("log", "daemon", "node-status"),
    ),
)

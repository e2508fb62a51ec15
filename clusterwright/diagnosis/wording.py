"""Kinds of failure by the words that programs of every sort use for them.

The system's errors (errno), libraries of networks and of AWS, schedulers and training programs say
the same things in a few words: access is denied, a name cannot be resolved, shapes differ. The
signatures know messages whole; this table knows the words, and is asked when no signature matches.
The first kind that matches is used, so what a message is about comes before what it only adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

Group = Literal["resource", "network", "access", "program"]


@dataclass(frozen=True)
class Kind:
    """A kind of failure: what is said about it, and what sort of thing is wrong."""

    id: str
    group: Group
    sentence: str
    pattern: re.Pattern[str]


def _kind(ident: str, group: Group, sentence: str, *words: str) -> Kind:
    return Kind(ident, group, sentence, re.compile("|".join(words), re.IGNORECASE))


USER: Final = (
    "a user or group is not known on the node: users differ between the nodes, or the directory "
    "(SSSD, LDAP) does not answer"
)
"""Also of a signature."""

FSDP: Final = (
    "FSDP cannot shard the model: parameters of one unit differ in type, device or in whether "
    "they are trained, or it is wrapped in another way than is used"
)
"""Said by words and by the frames of exceptions."""

KINDS: Final[tuple[Kind, ...]] = (
    _kind(
        "gpu-memory",
        "resource",
        "the GPU's memory is used up",
        r"(?:cuda|gpu|device|hbm)\b.{0,40}out of memory|no available memory for the cache blocks",
    ),
    _kind(
        "crash",
        "program",
        "a program crashed by a fault of its own",
        r"nil pointer dereference|runtime error: |goroutine \d+ \[running\]|stack overflow|"
        r"double free|corrupted (?:size|unsorted|double)|free\(\): invalid|malloc\(\): |"
        r"stack smashing|pure virtual method",
    ),
    _kind(
        "cgroup",
        "program",
        "a cgroup cannot be made or used: a controller is not enabled on the node, or cgroup v1 "
        "and v2 differ",
        r"error setting cgroup config|controllers? [\"'`]?\w+[\"'`]? (?:is |are )?not "
        r"(?:available|enabled|found)|cgroups?[^\n]{0,40}(?:not mounted|not enabled|"
        r"mountpoint does not exist)",
    ),
    _kind(
        "memory",
        "resource",
        "the host's or the container's memory is used up",
        r"out of memory|cannot allocate (?:\S+ ){0,3}memory|\bbad_alloc\b|low on memory|"
        r"\bMemoryError\b|"
        r"memory pressure|(?:not enough|insufficient|unable to allocate|failed to allocate) "
        r"(?:\S+ ){0,4}memory|(?<![.\w])OOM\b(?!\.\w)|memory usage threshold|"
        r"MemAvailable|Unable to allocate \d",
    ),
    _kind(
        "disk",
        "resource",
        "a disk or a quota of a file system is full",
        r"no space left|disk quota|disk (?:is )?full|(?:out of|not enough|insufficient) (?:free )?"
        r"(?:disk )?space",
    ),
    _kind(
        "limit-of-files",
        "resource",
        "a process has reached a limit of open files, threads or processes",
        r"too many open files|can't start new thread|resource temporarily unavailable|\bulimit\b|"
        r"rlimit|"
        r"too many (?:processes|threads)|blas_thread_init",
    ),
    _kind(
        "name",
        "network",
        "a name cannot be resolved (DNS)",
        r"(?:could not|cannot|can't|unable to|failed to) (?:be )?(?:resolve|lookup|look up)\b|"
        r"name or service not known|name resolution|no such host|unknown host|dns error|gaierror|"
        r"getaddrinfo|failed to lookup address|hostname.{0,40}not (?:known|found|resolv)",
    ),
    _kind(
        "certificate-file",
        "access",
        "a TLS certificate, its key or the secret that has them is missing or damaged",
        r"\b(?:cert(?:ificate)?s?|ca\.crt|tls\.(?:crt|key))(?: secret)?\b[^\n]{0,60}(?:missing|"
        r"not well-formed|malformed|empty|no such file)|missing (?:ca\.crt|tls\.(?:crt|key))",
    ),
    _kind(
        "certificate",
        "network",
        "no TLS connection is made: a certificate is not accepted, or the other side has no TLS",
        r"certificate (?:verif|has expired|is not|is expired|signed|error|chain|problem|"
        r"authority)|"
        r"CERTIFICATE_|\bx509\b|SSLError|SSL: |TLS handshake|handshake fail|SSL routines|"
        r"SSL_connect|wrong version number",
    ),
    _kind(
        "credentials",
        "access",
        "credentials are missing, invalid or have expired",
        r"(?:(?:access|security|session|auth\w*|bearer|provided|API|HF) token|credential|"
        r"signature)s?\b"
        r".{0,40}(?:expired|invalid|missing|not (?:found|valid))|(?:expired|invalid|unable to "
        r"(?:locate|load)|no|missing|find) (?:(?:AWS|access|security|session|signing|auth\w*|"
        r"valid|HF|API|user) )"
        r"{0,3}(?:token|credential)s?\b|InvalidClientTokenId|UnrecognizedClient|"
        r"InvalidAccessKeyId|SignatureDoesNotMatch|login required|not logged in|api[_ ]key|"
        r"NoCredentialProviders|(?:error|failed|unable) (?:to )?(?:retriev|load|obtain|fetch)\w* "
        r"(?:\w+ ){0,2}credentials?\b|\b(?:account|access|auth\w*|session|bearer) token "
        r"(?:cannot|must not|can't) be empty",
    ),
    _kind(
        "denied",
        "access",
        "access is denied",
        r"access ?denied|permission denied|\bnot authori[sz]ed|unauthori[sz]ed|forbidden|"
        r"operation not permitted|AccessDenied|must be (?:root|superuser)|(?:status|code|error|"
        r"HTTP)\D{0,12}40[13]\b|"
        r"ACCESS_DENIED|host key verification failed|publickey|"
        r"do(?:es)? not have (?:the )?permission",
    ),
    _kind(
        "user",
        "access",
        USER,
        r"unknown (?:user|group|[ug]id)\b|unknown (?:user|group) ?id\b|no such (?:user|group)\b|"
        r"(?:cannot|can't|could not|couldn't|unable to|failed to) (?:find|get|look ?up|determine) "
        r"(?:\w+ ){0,3}(?:name for (?:user|group)|user (?:name|id|account|info\w*)|(?:user|group) "
        r"account)|getpw(?:uid|nam)\b|getgr(?:gid|nam)\b|invalid user\b|"
        r"lookup (?:userid|user|username|groupid) \S+:|(?:user|group) \S+ does not exist",
    ),
    _kind(
        "locks",
        "resource",
        "the file system gives no locks: mount Lustre with flock, or NFS with its lock service",
        r"no locks available|\bENOLCK\b|\bflock\b[^\n]{0,60}(?:not implemented|not supported|"
        r"fail)|"
        r"unable to lock file|failed to (?:acquire|obtain) (?:a )?(?:file )?lock",
    ),
    _kind(
        "file-system",
        "resource",
        "a file system or its storage does not answer, or lets nothing be written",
        r"input/output error|remote i/o error|\bEIO\b|stale (?:nfs )?file handle|\bESTALE\b|"
        r"read-only file ?system|structure needs cleaning|requested and \d+ written|"
        r"short write|transport endpoint is not connected: "
        r"'?/",
    ),
    _kind(
        "architecture",
        "program",
        "a program is built for another processor or is no program",
        r"exec format error|cannot execute binary file|wrong ELF class|bad ELF interpreter",
    ),
    _kind(
        "path",
        "program",
        "a path or a file is of another sort, too long or too large for what is done with it",
        r"\bis a directory\b|not a directory|directory not empty|file name too long|"
        r"too many levels of symbolic links|cross-device link|file too large|argument list too "
        r"long|"
        r"bad file descriptor|illegal seek|(?:path|name|line|list) (?:is )?too long",
    ),
    _kind(
        "rate",
        "access",
        "a service refuses more requests for a while (a limit of its rate)",
        r"rate[- ]?limit|too many requests|throttl(?:ed|ing)|SlowDown|reduce your request rate|"
        r"(?:status|code|error|HTTP)\D{0,12}429\b",
    ),
    _kind(
        "capacity",
        "resource",
        "there is no capacity for what is asked",
        r"insufficient\w* (?:instance )?capacity|no (?:free |available )?capacity|"
        r"InsufficientInstance|"
        r"capacity (?:is )?(?:not available|unavailable)|Insufficient \S*(?:gpu|neuron|efa|cpu)",
    ),
    _kind(
        "quota",
        "resource",
        "a quota or a limit is reached",
        r"LimitExceeded|\bquota|limit (?:has been |was |is )?(?:exceeded|reached)|"
        r"exceed\w* (?:the |its )?(?:[\w-]+ ){0,4}(?:limit|maximum|quota)|maximum number of",
    ),
    _kind(
        "evicted",
        "resource",
        "a pod or a worker was evicted from its node",
        r"\bevict(?:ed|ion)\b",
    ),
    _kind(
        "refused",
        "network",
        "a connection is refused: nothing listens there, or a firewall answers",
        r"connection refused|ECONNREFUSED|actively refused",
    ),
    _kind(
        "unreachable",
        "network",
        "a host or service cannot be reached",
        r"unreachable|no route to host|not reachable|(?:cannot|could not|couldn't|can't|unable to|"
        r"failed to|fail to) (?:be )?(?:re)?(?:connect|reach|contact|communicate|establish)|"
        r"connection (?:error|failed|failure)|ConnectionError|internet connection|offline mode|"
        r"firewall|\bproxy\b|network error|max retries exceeded|ENETUNREACH|EHOSTUNREACH|"
        r"not reachable via ssh|lost communication|\bUNAVAILABLE:",
    ),
    _kind(
        "lost",
        "network",
        "a connection was lost: the other side ended it",
        r"connection (?:was |is )?(?:reset|closed|aborted|lost|dropped)|broken pipe|ECONNRESET|"
        r"EOF occurred|peer closed|remote end closed|server disconnected|IncompleteRead|"
        r"ChunkedEncoding|transport endpoint",
    ),
    _kind(
        "hang",
        "network",
        "a process makes no progress: a deadlock, or a wait for another rank or device",
        r"\bhang(?:s|ing)?\b|\bhung\b|got stuck|is stuck|deadlock|without making progress|"
        r"missed heartbeat|heartbeat timeout",
    ),
    _kind(
        "time",
        "network",
        "something did not answer or end in time",
        r"\btimed?[ -]?out\b|DEADLINE_EXCEEDED|\btimeout\b|deadline exceeded|TimeoutError|"
        r"timeouterror|not .{0,40}in time|"
        r"took too long|within the timeout",
    ),
    _kind(
        "server",
        "network",
        "a service failed by itself, which may be over at another try",
        r"Request to service failed|internal (?:server error|failure)|InternalFailure|"
        r"(?:Service|Handler)Internal(?:Error|Failure)|InternalServiceError|"
        r"GeneralServiceException|bad gateway|service unavailable|"
        r"gateway time-?out|"
        r"(?:status|code|error|HTTP)\D{0,12}50[0234]\b",
    ),
    _kind(
        "library",
        "program",
        "a library is missing or of another build or version",
        r"cannot open shared object|undefined symbol|version [`'][\w.]+' not found|"
        r"cannot import name|no module named|DLL load failed|libcu\w+\.so|not compiled with|"
        r"was (?:not )?(?:built|compiled) (?:with|for|against)|ABI\b.{0,40}(?:mismatch|incompat)",
    ),
    _kind(
        "kernel-module",
        "program",
        "a kernel module cannot be built or loaded: it does not fit the running kernel, its "
        "headers or its compiler",
        r"\bobjtool\b|\bmodpost\b|\bKbuild\b|\bdkms\b[^\n]{0,80}(?:fail|error|bad exit)|"
        r"kernel (?:headers|source)[^\n]{0,60}(?:not|cannot|missing)|\binsmod: |"
        r"could not insert (?:module )?'|\.ko\b[^\n]{0,60}(?:fail|error|invalid|undefined)",
    ),
    _kind(
        "runtime",
        "program",
        "a runtime (of AWS Lambda, Node or Python) is no longer supported",
        r"runtime\b[^\n]{0,60}\b(?:deprecated|no longer (?:supported|available)|unsupported|"
        r"end of (?:life|support))|"
        r"(?:deprecated|unsupported) (?:[\w-]+ ){0,2}runtime\b",
    ),
    _kind(
        "version",
        "program",
        "versions of programs or libraries do not fit each other",
        r"incompatib|version (?:mismatch|conflict)|(?:mismatch\w*|different|wrong|unsupported|"
        r"newer|"
        r"older|unknown) (?:\w+ )?version|requires? [^\n]{0,60}(?:version|[<>=]=? ?\d)|"
        r"is required, but|"
        r"(?<!NoneType' object )has no attribute|unexpected keyword argument|"
        r"positional arguments? but|no longer (?:supported|available)|"
        r"(?:upgrade|update|downgrade) (?:your|to|the)|"
        r"\b(?:max|min)(?:imum)? (?:\w+ )?version\b|"
        r"(?:too (?:old|new)|older than|newer than)|missing \d+ required (?:positional|keyword)",
    ),
    _kind(
        "fsdp",
        "program",
        FSDP,
        r"\bFlatParam|\bflatten\w* (?:tensors|parameters|and sharded)|parameters are flatten|"
        r"uniform [`'\"]?(?:requires_grad|dtype)|use_orig_params|\bfully_shard\b",
    ),
    _kind(
        "gradients",
        "program",
        "gradients: parameters are unused, or used twice, in a step (DDP, frozen layers or "
        "recomputed activations)",
        r"number of tensors was saved during|recomputed values|not used in producing loss|"
        r"unused[_ ]parameter|finished reduction in the prior|"
        r"marked (?:as )?ready (?:twice|only once)|does not require grad|graph a second time|"
        r"does not have a grad_fn|modified by an inplace operation",
    ),
    _kind(
        "sharded",
        "program",
        "a parameter is used while it is sharded (FSDP or ZeRO): outside the module that gathers "
        "it, or before its weights are loaded",
        r"data is not allocated yet|must be 2-D|has shape torch\.Size\(\[0\]\)|"
        r"\b(?:un)?sharded (?:param|tensor)|is partitioned|DTensor",
    ),
    _kind(
        "ranks-differ",
        "program",
        "ranks disagree: they do different steps, or have different models, data or settings",
        r"disagree\w* between rank|ranks? (?:do(?:es)? not|don't|doesn't) agree|"
        r"(?:mismatch\w*|differ\w*) (?:across|between|among|on|in) (?:\w+ ){0,2}ranks|"
        r"mismatch between collectives|not (?:the same|identical|consistent) "
        r"(?:across|on|between) (?:\w+ ){0,2}(?:ranks|processes)",
    ),
    _kind(
        "parallel",
        "program",
        "the parallel layout or the batch does not fit the number of ranks or the model",
        r"divisible|world[ _]?size|(?:tensor|pipeline|context|expert|data|sequence|"
        r"model)[ _-]?(?:model[ _-])?"
        r"parallel\w*[ _-]?(?:size|degree|group)?\b|micro[ _-]?batch|global[ _-]?batch|"
        r"gradient_accumulation|number of (?:GPUs|processes|ranks|devices|nodes|heads|stages)|"
        r"num_(?:gpus|processes|nodes|heads|attention_heads|key_value_heads)|too many ranks|"
        r"\bmesh\b.{0,60}(?:dim|size|shape)",
    ),
    _kind(
        "optimizer",
        "program",
        "the state of an optimizer does not fit it: its checkpoint is of other parameters or of "
        "another version of the library",
        r"\bparam(?:eter)?[_ ]groups?\b|optimi[sz]er(?:'s)?[_ ](?:states?|group)|"
        r"\bexp_avg(?:_sq)?\b",
    ),
    _kind(
        "scheme",
        "program",
        "a library cannot open an address of this sort (s3://, gs://, hf://): the package that "
        "reads it is not installed, or the library does not know it",
        r"protocol not known|no gopen handler|no connection adapters? (?:\w+ ){0,2}found for|"
        r"\bno (?:\w+ ){0,2}(?:handler|file ?system|opener|backend)s? (?:\w+ ){0,2}for "
        r"(?:the )?(?:URL|URI|scheme|protocol)\b|"
        r"(?:unknown|unsupported|unrecogni[sz]ed) (?:URL|URI|file ?system) (?:scheme|protocol)\b|"
        r"\bscheme '?\w{2,10}'? not (?:implemented|registered|supported)",
    ),
    _kind(
        "shape",
        "program",
        "shapes or sizes of tensors do not fit each other: another layout, model or input than "
        "the "
        "program expects",
        r"\bshapes?\b|size of tensor|sizes? (?:mismatch|of|must|do)|mat1 and mat2|dimension|"
        r"numel|out of (?:range|bounds)|index(?:es)? .{0,40}(?:range|bound)|srcIndex|"
        r"cannot be broadcast|broadcastable|number of elements|resize storage|same (?:size|"
        r"length)|"
        r"expected (?:input|tensor|hidden|sequence)[^\n]{0,60}(?:got|but)",
    ),
    _kind(
        "type",
        "program",
        "tensors of different types or on different devices meet, or a type is not supported",
        r"same (?:dtype|device|type)|dtype|scalar type|BFloat16|\bhalf\b|Float8|fp8|"
        r"found at least two devices|device type|not implemented for|"
        r"expected .{0,40}tensor.{0,40}but",
    ),
    _kind(
        "no-device",
        "program",
        "no GPU or accelerator is visible to the program",
        r"\bno (?:\w+ ){0,2}(?:devices?|GPUs?|accelerators?) (?:\w+ ){0,2}(?:found|available|"
        r"visible|detected)|\bno (?:CUDA|GPU|accelerator)\b|"
        r"cannot start without GPU|torch\.cuda\.is_available",
    ),
    _kind(
        "compilation",
        "program",
        "something cannot be compiled: the compiler, a header or the GPU's architecture does not "
        "fit",
        r"\bcompil(?:e|ed|ing|ation|er)\b|\bptxas\b|\bnvcc\b|\bgcc\b|\bg\+\+|\bninja\b|\bld: |"
        r"recognized processor",
    ),
    _kind(
        "mount",
        "program",
        "a folder, an image or a file system cannot be mounted",
        r"\bmount(?:ed|ing|s)?\b",
    ),
    _kind(
        "token",
        "program",
        "the tokenizer and the model or the data do not fit each other",
        r"tokeni[sz]er|vocab(?:ulary)?|token id|chat template|special token",
    ),
    _kind(
        "offload",
        "program",
        "what is moved out of the GPU's memory (offload) does not fit its buffers, or cannot be "
        "read or written again",
        r"\bswap(?:ping|ped|per|_in|_out)\b|\boffload(?:ed|ing)?\b|\bnvme_path\b|\baio\b",
    ),
    _kind(
        "checkpoint",
        "program",
        "a checkpoint or a model's weights cannot be loaded or written",
        r"checkpoint|state[_ ]dict|safetensors?\b|\.distcp|(?:load|sav)(?:e|"
        r"ing) (?:the )?(?:model|weights)|"
        r"pytorch_model|model weights|ckpt",
    ),
    _kind(
        "data",
        "program",
        "data or a file cannot be read: damaged, cut off, empty or in another format",
        r"corrupt|truncat|malformed|magic (?:number|bytes)|not a (?:valid )?\S+ file|unpickl|"
        r"pickle|"
        r"json|parquet|arrow|decod(?:e|ing)|deseriali[sz]|unterminated|parse error|parsing|"
        r"unexpected end|header|EOFError|empty (?:dataset|file)|no data|num_samples|"
        r"dataset|data ?set|schema|column",
    ),
    _kind(
        "in-use",
        "program",
        "something is in use already by another process, or exists already",
        r"already in use|resource busy|text file busy|is locked|lock(?:ed)? (?:by|file)|"
        r"already exists|already (?:been )?(?:initiali[sz]ed|allocated|running|registered)|"
        r"in use by|reused local directory|stale shared memory",
    ),
    _kind(
        "environment",
        "program",
        "an environment variable or a setting that the program needs is not set",
        r"environment variable|must specify a region|not set\b|is unset|unbound variable|must "
        r"(?:be )?set|please set|"
        r"set the \S+ (?:env|variable)|missing (?:required|mandatory)|is required\b|"
        r"required (?:argument|option|field|key)|"
        r"need(?:s)? to (?:be )?(?:set|specif|provid)|must (?:specify|provide|pass|define)",
    ),
    _kind(
        "setting",
        "program",
        "a setting, an argument or an input of the program is not valid",
        r"unrecogni[sz]ed|unknown (?:option|argument|key|field|parameter|\w+ type)|(?:invalid|"
        r"illegal|bad|wrong) "
        r"(?:option|argument|value|choice|config|parameter|input|type|name|path|spec|syntax)|"
        r"must (?:be|have|not|contain|match|equal)|should (?:be(?! (?:in|de)creased)|have|not)|"
        r"not (?:a )?(?:valid|allowed|recogni[sz]ed)|"
        r"missing port in address|too many colons in address|unknown package|"
        r"(?:not|isn't|is un) ?supported|unsupported|only supports?|function not implemented|"
        r"protocol not available|inappropriate ioctl|too (?:small|large|big|many|few|short)\b|"
        r"can(?:not|'t) be (?:used|"
        r"combined|set|both)|"
        r"mutually exclusive|validation error|conflict|extra fields|unexpected (?:key|argument|"
        r"field|value)|"
        r"expected [^\n]{1,80}(?:but )?(?:got|received|found)|"
        r"(?<!NoneType' object has )no attribute|not enough values|"
        r"invalid",
    ),
    _kind(
        "unsatisfied",
        "program",
        "nothing that is available satisfies what is asked",
        r"\bno \S[^\n]{0,60}(?:satisf|match|fit|meet|met\b)|(?:did not|does not|didn't|doesn't) "
        r"(?:satisfy|match|meet)|cannot satisfy|unsatisfi",
    ),
    _kind(
        "not-ready",
        "program",
        "something that it depends on is not ready or does not run",
        r"awaiting|not (?:yet )?(?:ready|running|started|registered|initiali[sz]ed|synced)|"
        r"is down\b|"
        r"has not (?:yet )?(?:been )?(?:started|registered|initiali[sz]ed)|not have registered",
    ),
    _kind(
        "missing",
        "program",
        "something that the program needs does not exist",
        r"no such (?:file|device|container|object|key|table|process|command)|does not exist|"
        r"doesn't exist|"
        r"not found|cannot find|could not find|can't find|unable to find|can't open|cannot stat|"
        r"cannot access|missing|not installed|(?:status|code|error|HTTP)\D{0,12}404\b|"
        r"is not (?:present|available)|not available|no .{1,40} (?:found|available)",
    ),
)
"""In the order in which they are tried."""


def meaning_of(table: Iterable[tuple[str, str]], text: str) -> str | None:
    """The meaning beside the first expression of a table that is found in a text; None without."""
    return next((said for words, said in table if re.search(words, text)), None)


PLAIN: Final = frozenset(
    {
        *("memory", "disk", "limit-of-files", "name", "credentials", "denied", "locks"),
        *("file-system", "architecture", "path", "refused", "unreachable", "lost", "time"),
        *("library", "version", "in-use", "setting", "missing"),
    }
)
"""Kinds that any program may have: without those of training programs and of cloud services."""


def kind_of(text: str, among: frozenset[str] | None = None) -> Kind | None:
    """The kind of failure that a message is of; None if no words of it say so."""
    return next(
        (k for k in KINDS if (among is None or k.id in among) and k.pattern.search(text)), None
    )


NOT_AN_ERROR: Final = re.compile(
    r"\[(?:WAN|WRN|INF|DBG|TRC)\]|"
    r"\b(?:warn(?:ing)?|INFO|DEBUG|notice|0 errors?|no errors?|errors?[=:] ?0|deprecat\w+|"
    r"retry(?:ing)?(?! limit)|"
    r"will (?:be )?retr\w+|ignor(?:ed|ing)|fall(?:ing)? back|fallback|optional|skipp(?:ed|ing)|"
    r"won't affect|will not affect|harmless)\b",
    re.IGNORECASE,
)
"""Words of lines that report no failure, whatever else they say."""

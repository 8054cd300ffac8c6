"""Secrets that betray themselves by their shape: keys of vendors, JWTs, key blocks, URLs, phrases.

Each finder takes the text and its lower case, and yields what to hide. Every one of them takes
time in proportion to the text: repeats are bounded or never given back.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from inspector.text.late_pattern import late
from inspector.text.secret_names import (
    API_KEY,
    AUTHORIZATION,
    COOKIE,
    MNEMONIC,
    PRIVATE_KEY,
    TOKEN,
    is_placeholder,
    looks_like_token,
    looks_random,
    secret_name,
)

BEARER, JWT, URL_CREDENTIAL = "bearer", "jwt", "url credential"


class Span(NamedTuple):
    """Characters `start` to `end` hold a secret of this kind."""

    start: int
    end: int
    kind: str


def _begins(literal: str) -> str:
    """`literal` where a token can begin: after no letter, or after an escape: `\\n`, `%3D`.

    The look-behinds follow the literal, so that the search skips to it.
    """
    behind = [
        rf"\\[nrtbf]{literal}",
        rf"%[0-9A-Fa-f]{{2}}{literal}",
        rf"\\u[0-9a-fA-F]{{4}}{literal}",
    ]
    behind += [rf"[\[;]{digits}m{literal}" for digits in ("[0-9]", "[0-9]{2}")]
    return f"{literal}(?:(?<![A-Za-z0-9_]{literal})|" + "|".join(f"(?<={b})" for b in behind) + ")"


_WORD = "[A-Za-z0-9]"
_DASHED = "[A-Za-z0-9_-]"
_KEYS_OF_VENDORS = tuple(
    (literal.replace("\\", ""), late(f"{_begins(literal)}(?:{tail})"), kind)
    for literal, tail, kind in (
        ("sk-", _DASHED + "{16,}", API_KEY),
        ("sk_", rf"(?:(?:live|test|prod)_{_WORD}{{10,}}|{_WORD}{{16,}})", API_KEY),
        ("rk_", rf"(?:live|test)_{_WORD}{{10,}}", API_KEY),
        ("whsec_", "[A-Za-z0-9+/=]{16,}", API_KEY),
        ("ghp_", _WORD + "{16,}", TOKEN),
        ("gho_", _WORD + "{16,}", TOKEN),
        ("ghu_", _WORD + "{16,}", TOKEN),
        ("ghs_", _WORD + "{16,}", TOKEN),
        ("ghr_", _WORD + "{16,}", TOKEN),
        ("github_pat_", "[A-Za-z0-9_]{16,}", TOKEN),
        ("glpat-", _DASHED + "{16,}", TOKEN),
        ("xox", "[abcdeoprs][.-][A-Za-z0-9-]{10,}", TOKEN),
        ("xapp-", "[A-Za-z0-9-]{10,}", TOKEN),
        ("AKIA", "[0-9A-Z]{12,}", API_KEY),
        ("ASIA", "[0-9A-Z]{16,}", API_KEY),
        ("AIza", _DASHED + "{20,}", API_KEY),
        (r"ya29\.", _DASHED + "{20,}", TOKEN),
        ("hf_", _WORD + "{20,}", TOKEN),
        ("npm_", _WORD + "{30,}", TOKEN),
        ("pypi-", _DASHED + "{40,}", TOKEN),
        (r"SG\.", rf"{_DASHED}{{16,}}+\.{_DASHED}{{16,}}", API_KEY),
        ("gsk_", _WORD + "{20,}", API_KEY),
        ("xai-", _DASHED + "{20,}", API_KEY),
        ("pplx-", _WORD + "{20,}", API_KEY),
        ("r8_", _WORD + "{20,}", API_KEY),
        ("nvapi-", _DASHED + "{20,}", API_KEY),
        ("tvly-", _DASHED + "{16,}", API_KEY),
        ("lsv2_", "[A-Za-z0-9_]{20,}", API_KEY),
        ("dop_v1_", _WORD + "{20,}", TOKEN),
        ("shpat_", _WORD + "{20,}", TOKEN),
        ("dckr_pat_", _DASHED + "{16,}", TOKEN),
        ("lin_api_", _WORD + "{20,}", API_KEY),
        ("ntn_", _WORD + "{20,}", API_KEY),
        ("figd_", _DASHED + "{20,}", TOKEN),
        ("sbp_", _WORD + "{20,}", TOKEN),
        ("AGE-SECRET-KEY-", "[0-9A-Z]{20,}", PRIVATE_KEY),
        ("xprv", "[1-9A-HJ-NP-Za-km-z]{80,}", PRIVATE_KEY),
        ("nsec1", "[a-z0-9]{50,}", PRIVATE_KEY),
    )
)
_DASH, _NO_WORD = late(r"[-_]"), late(r"[0-9A-Z]")


def keys_of_vendors(text: str, lower: str) -> Iterator[Span]:
    """Keys with the prefix of a known vendor; a prefix before plain words is no key."""
    for literal, pattern, kind in _KEYS_OF_VENDORS:
        if literal in text:
            for match in pattern.finditer(text):
                if _is_no_word(match[0], len(literal)):
                    yield Span(*match.span(), kind)


def _is_no_word(key: str, after: int) -> bool:
    """`sk-learn-contrib-package` has the prefix of a key, but words behind it."""
    return not _DASH.search(key, after) or bool(_NO_WORD.search(key, after))


_JWT = late(_begins("eyJ") + rf"{_DASHED}{{5,}}+\.{_DASHED}{{5,}}+(?:\.{_DASHED}*+){{0,4}}")
_BOT_TOKEN = late(rf"(?<![0-9])[0-9]{{8,10}}:AA{_DASHED}{{30,}}")


def tokens_by_shape(text: str, lower: str) -> Iterator[Span]:
    """JSON Web Tokens and bot tokens."""
    if "eyJ" in text:
        yield from (Span(*match.span(), JWT) for match in _JWT.finditer(text))
    if ":AA" in text:
        yield from (Span(*match.span(), TOKEN) for match in _BOT_TOKEN.finditer(text))


_QUOTE = r"""\\{0,8}["'`]"""
_BEARER = late(rf"(?i)bearer(?:\s|%20|\\[nt]|:){{1,4}}(?:{_QUOTE})?([A-Za-z0-9._~+/=-]{{6,}})")
_AUTHORIZATION = late(
    rf"(?i)authorization(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}({_QUOTE})?"
    r"(basic|bearer|token|api-?key|key|digest|negotiate|hawk|aws4-hmac-sha256)(?:\s|%20){1,4}"
)
_HEADER_TOKEN = late(r"""[^\s"'`\\,;<>{}()‹]+""")
_HEADER_REST_QUOTED = late(r"""[^\r\n"'`\\]+""")
_HEADER_REST = late(r"[^\r\n]+")
_COOKIE = late(
    rf"(?i)cookie(?:{_QUOTE})?\s{{0,3}}:\s{{0,3}}(?:{_QUOTE})?"
    r"""([^\s=;"'`‹]{1,64}=[^"'`\r\n\\]+)"""
)


def headers(text: str, lower: str) -> Iterator[Span]:
    """`Bearer …` anywhere, the value of `Authorization:` after its scheme, cookies."""
    if "bearer" in lower:
        for match in _BEARER.finditer(text):
            token = match[1].rstrip(".")
            if _is_bearer_token(match[0], token):
                yield Span(match.start(1), match.start(1) + len(token), BEARER)
    if "authorization" in lower:
        yield from _authorizations(text)
    if "cookie" in lower:
        yield from (Span(*match.span(1), COOKIE) for match in _COOKIE.finditer(text))


def _authorizations(text: str) -> Iterator[Span]:
    done = 0
    for match in _AUTHORIZATION.finditer(text):
        if match.start() < done:
            continue
        scheme = match[2].lower()
        pattern = _HEADER_TOKEN
        if scheme in ("digest", "hawk", "aws4-hmac-sha256"):
            pattern = _HEADER_REST_QUOTED if match[1] else _HEADER_REST
        value = pattern.match(text, match.end())
        if value and not is_placeholder(value[0]):
            done = value.end()
            yield Span(*value.span(), BEARER if scheme == "bearer" else AUTHORIZATION)


_WORD_AFTER_BEARER = late(
    "(?i)(?:authenti|authori[sz]|certifica|credential|instrument|present|protect)[a-z]*"
)


def _is_bearer_token(found: str, value: str) -> bool:
    """A word after `Bearer` is a token as well, unless it makes a sentence of it."""
    if looks_like_token(value):
        return True
    if found[0] != "B" or len(value) < 8 or is_placeholder(value):
        return False
    return not _WORD_AFTER_BEARER.fullmatch(value)


_KEY_BLOCK = late(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BLOCK_REST = late(r"""[^"'<>{}]*""")


def key_blocks(text: str, lower: str) -> Iterator[Span]:
    """What stands between BEGIN and END of a private key; without END, as far as it may reach."""
    if "private key" not in lower:
        return
    done = 0
    for match in _KEY_BLOCK.finditer(text):
        if match.start() < done:
            continue
        done = text.find("-----END", match.end())
        if done < 0:
            rest = _KEY_BLOCK_REST.match(text, match.end())
            done = rest.end() if rest else len(text)
        yield Span(match.end(), done, PRIVATE_KEY)


_USERINFO = late(r"""://([^\s/?#"'<>\\‹›]{1,512})@""")
_RPC_HOSTS = (
    "alchemy.com",
    "alchemyapi.io",
    "infura.io",
    "quiknode.pro",
    "quicknode.com",
    "ankr.com",
    "chainstack.com",
    "blastapi.io",
    "nodereal.io",
    "getblock.io",
    "drpc.org",
    "tenderly.co",
    "chainnodes.org",
    "blockpi.network",
    "pokt.network",
    "grove.city",
    "moralis-nodes.com",
    "hooks.slack.com",
    "api.telegram.org",
    "discord.com/api/webhooks",
    "discordapp.com/api/webhooks",
)
_RPC_PATH = late(
    f"(?i)(?:{'|'.join(map(re.escape, _RPC_HOSTS))})(?::[0-9]{{1,5}})?"
    r"(/[A-Za-z0-9_/:.~%+=-]{1,300})"
)
_SEGMENT = late(r"[^/]+")
_VERSION = late(r"v[0-9]{1,2}")
_KEY_AFTER_VERSION = late(rf"/v[0-9]{{1,2}}/({_DASHED}{{16,}}+)(?=[/?#\s\"'`\\,;)\]}}>]|$)")
_NOT_IN_URL = late(r"""[\s"'`<>]""")
_QUERY = late(
    r"(?i)(?:[?&;]|\\u0026|%26)((?:x-(?:amz|goog)-)?(?:key|token|auth|sig|signature|credential|"
    r"security-token|hmac|jwt|code|sid|dkey))=([^&\s\"'#<>\\;‹]{1,4096})"
)
_PUBLIC_SEGMENTS = frozenset({"demo", "docs", "public", "services", "api", "webhooks"})


def urls(text: str, lower: str) -> Iterator[Span]:
    """Passwords before `@`, keys in the path of an RPC endpoint, keys and signatures in a query."""
    if "://" in text:
        for match in _USERINFO.finditer(text):
            _, colon, password = match[1].partition(":")
            secret = not is_placeholder(password) if colon and password else looks_random(match[1])
            if secret:
                yield Span(*match.span(1), URL_CREDENTIAL)
    if "/" in text and any(host in lower for host in _RPC_HOSTS):
        for match in _RPC_PATH.finditer(text):
            yield from _keys_in_path(text, match.start(1), match.end(1))
    if "/v" in text:
        for match in _KEY_AFTER_VERSION.finditer(text):
            if looks_random(match[1]) and _is_in_url(text, match.start()):
                yield Span(*match.span(1), URL_CREDENTIAL)
    if "=" in text:
        for match in _QUERY.finditer(text):
            if looks_random(match[2], at_least=10):
                yield Span(*match.span(2), URL_CREDENTIAL)


def _is_in_url(text: str, at: int) -> bool:
    scheme = text.rfind("://", max(0, at - 200), at)
    return scheme >= 0 and not _NOT_IN_URL.search(text, scheme, at)


def _keys_in_path(text: str, start: int, end: int) -> Iterator[Span]:
    after_version = False
    for match in _SEGMENT.finditer(text, start, end):
        segment = match[0].rstrip(".,:")
        named = segment.lower() in _PUBLIC_SEGMENTS or (segment.isalpha() and not after_version)
        keyish = after_version or looks_random(segment, at_least=8)
        if keyish and not named and not _VERSION.fullmatch(segment):
            yield Span(match.start(), match.start() + len(segment), URL_CREDENTIAL)
        after_version = bool(_VERSION.fullmatch(segment))


_PHRASE_BETWEEN = r"""(?:[\s,;"'`\[\]|]|\\[nrt]|[0-9]{1,2}[.):]?|-){1,10}+"""
_PHRASE_RUN = late(
    r"(?<![A-Za-z])[a-z]{3,8}(?![A-Za-z])"
    rf"(?:{_PHRASE_BETWEEN}[a-z]{{3,8}}(?![A-Za-z]))*+"
)
_PHRASE_CONTEXT = late(
    r"(?i)mnemonic|(?:seed|recovery|backup|secret|wallet)[\s_-]{0,2}(?:recovery[\s_-])?"
    r"(?:phrase|words)|bip-?39"
)
_PHRASE_WORD = late(r"[a-z]{3,8}")
_SHORTEST_PHRASE = 12
_SHORTEST_LENGTH_OF_PHRASE = 4 * _SHORTEST_PHRASE - 1


def phrases(text: str, lower: str) -> Iterator[Span]:
    """Twelve or more lower-case words after `mnemonic`, `seed phrase` and the like."""
    if len(text) < _SHORTEST_LENGTH_OF_PHRASE or not _PHRASE_CONTEXT.search(text):
        return
    for run in _PHRASE_RUN.finditer(text):
        if len(run[0]) < _SHORTEST_LENGTH_OF_PHRASE:
            continue
        context = _PHRASE_CONTEXT.search(text, max(0, run.start() - 80), run.end())
        first = max(run.start(), context.end()) if context else run.end()
        words = list(_PHRASE_WORD.finditer(text, first, run.end()))
        if len(words) >= _SHORTEST_PHRASE:
            yield Span(words[0].start(), words[-1].end(), MNEMONIC)


_HEX_KEY_LENGTH = 64
_HEX_KEY = late(r"(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))(?:0x)?(?:[0-9a-fA-F]{64}){1,2}+(?![0-9A-Za-z])")
_KEY_CONTEXT = late(
    r"(?i)priv(?:ate)?[\s_.-]{0,2}key|secret|(?:signing|signer|wallet|deployer)[\s_-]{0,2}key|"
    r"\bseed\b|mnemonic"
)
_LABELLED_PUBLIC = late(
    r"(?i)(?:hash|tx|txid|tx_id|transaction|digest|sha-?256|keccak(?:256)?|block|root|commit|"
    r"receipt|topic|public[\s_-]?key|pub[\s_-]?key|fingerprint|checksum)[^A-Za-z0-9]{0,8}\Z"
)
_QUOTED_NAME_BEFORE = late(r"([A-Za-z0-9_.$-]{1,60})\\{0,8}[\"']\s{0,3}:\s{0,3}\\{0,8}[\"']?\Z")
_LETTERS = late(r"[A-Za-z]")


def hex_keys(text: str, lower: str) -> Iterator[Span]:
    """64 or 128 hexadecimal digits where the words before them speak of a private key.

    Without such words they are the hash of a transaction. A list of keys carries its heading on.
    """
    if len(text) < _HEX_KEY_LENGTH or not _KEY_CONTEXT.search(text):
        return
    last_key_end = -1
    for match in _HEX_KEY.finditer(text):
        start, end = match.span()
        before = text[max(0, start - 60) : start]
        listed = 0 <= last_key_end >= start - 40 and not _LETTERS.search(text, last_key_end, start)
        if listed or _is_key_context(before):
            last_key_end = end
            yield Span(start, end, PRIVATE_KEY)


def _is_key_context(before: str) -> bool:
    named = _QUOTED_NAME_BEFORE.search(before)
    if named:
        found = secret_name(named[1])
        return found is not None and found.kind in (PRIVATE_KEY, MNEMONIC)
    return not _LABELLED_PUBLIC.search(before) and bool(_KEY_CONTEXT.search(before))

"""Finds secrets by shape (vendor keys, JWTs, key blocks, URLs, phrases) and after their names.

A finder takes the text and its lower case and yields spans. All run in linear time: repetitions are
bounded or possessive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from inspector.text.lazy_pattern import lazy_pattern
from inspector.text.secret_names import (
    API_KEY,
    AUTHORIZATION,
    COOKIE,
    MNEMONIC,
    PASSWORD,
    PRIVATE_KEY,
    SECRET,
    TOKEN,
    SecretName,
    is_code,
    is_placeholder,
    looks_like_token,
    looks_random,
    secret_name,
)

BEARER, JWT, URL_CREDENTIAL = "bearer", "jwt", "url credential"


class Span(NamedTuple):
    """A secret: characters `start` to `end` (exclusive), and its kind."""

    start: int
    end: int
    kind: str


def _begins(literal: str) -> str:
    """Returns a pattern for `literal` at the start of a token: not after a letter, but after `\\n`.

    The look-behinds follow the literal so that the search can skip to it.
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
    (literal.replace("\\", ""), lazy_pattern(f"{_begins(literal)}(?:{tail})"), kind)
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
_DASH, _NO_WORD = lazy_pattern(r"[-_]"), lazy_pattern(r"[0-9A-Z]")


def keys_of_vendors(text: str, lower: str) -> Iterator[Span]:
    """Finds keys with a vendor's prefix, unless plain words follow."""
    for literal, pattern, kind in _KEYS_OF_VENDORS:
        if literal in text:
            for match in pattern.finditer(text):
                if _is_no_word(match[0], len(literal)):
                    yield Span(*match.span(), kind)


def _is_no_word(key: str, after: int) -> bool:
    """True for a prefix before words, such as `sk-learn-contrib-package`."""
    return not _DASH.search(key, after) or bool(_NO_WORD.search(key, after))


_JWT = lazy_pattern(_begins("eyJ") + rf"{_DASHED}{{5,}}+\.{_DASHED}{{5,}}+(?:\.{_DASHED}*+){{0,4}}")
_BOT_TOKEN = lazy_pattern(rf"(?<![0-9])[0-9]{{8,10}}:AA{_DASHED}{{30,}}")


def tokens_by_shape(text: str, lower: str) -> Iterator[Span]:
    """Finds JSON Web Tokens and bot tokens."""
    if "eyJ" in text:
        yield from (Span(*match.span(), JWT) for match in _JWT.finditer(text))
    if ":AA" in text:
        yield from (Span(*match.span(), TOKEN) for match in _BOT_TOKEN.finditer(text))


_QUOTE = r"""\\{0,8}["'`]"""
_BEARER = lazy_pattern(
    rf"(?i)bearer(?:\s|%20|\\[nt]|:){{1,4}}(?:{_QUOTE})?([A-Za-z0-9._~+/=-]{{6,}})"
)
_AUTHORIZATION = lazy_pattern(
    rf"(?i)authorization(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}({_QUOTE})?"
    r"(basic|bearer|token|api-?key|key|digest|negotiate|hawk|aws4-hmac-sha256)(?:\s|%20){1,4}"
)
_HEADER_TOKEN = lazy_pattern(r"""[^\s"'`\\,;<>{}()‹]+""")
_HEADER_REST_QUOTED = lazy_pattern(r"""[^\r\n"'`\\]+""")
_HEADER_REST = lazy_pattern(r"[^\r\n]+")
_COOKIE = lazy_pattern(
    rf"(?i)cookie(?:{_QUOTE})?\s{{0,3}}:\s{{0,3}}(?:{_QUOTE})?"
    r"""([^\s=;"'`‹]{1,64}=[^"'`\r\n\\]+)"""
)


def headers(text: str, lower: str) -> Iterator[Span]:
    """Finds `Bearer …`, values of `Authorization:` after the scheme, and cookies."""
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


_WORD_AFTER_BEARER = lazy_pattern(
    "(?i)(?:authenti|authori[sz]|certifica|credential|instrument|present|protect)[a-z]*"
)


def _is_bearer_token(found: str, value: str) -> bool:
    """True if a word after `Bearer` is a token, not the next word of a sentence."""
    if looks_like_token(value):
        return True
    if found[0] != "B" or len(value) < 8 or is_placeholder(value):
        return False
    return not _WORD_AFTER_BEARER.fullmatch(value)


_KEY_BLOCK = lazy_pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BLOCK_REST = lazy_pattern(r"""[^"'<>{}]*""")


def key_blocks(text: str, lower: str) -> Iterator[Span]:
    """Finds the body of PEM private keys; without END, everything it may contain."""
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


_USERINFO = lazy_pattern(r"""://([^\s/?#"'<>\\‹›]{1,512})@""")
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
_RPC_PATH = lazy_pattern(
    f"(?i)(?:{'|'.join(map(re.escape, _RPC_HOSTS))})(?::[0-9]{{1,5}})?"
    r"(/[A-Za-z0-9_/:.~%+=-]{1,300})"
)
_SEGMENT = lazy_pattern(r"[^/]+")
_VERSION = lazy_pattern(r"v[0-9]{1,2}")
_KEY_AFTER_VERSION = lazy_pattern(rf"/v[0-9]{{1,2}}/({_DASHED}{{16,}}+)(?=[/?#\s\"'`\\,;)\]}}>]|$)")
_NOT_IN_URL = lazy_pattern(r"""[\s"'`<>]""")
_QUERY = lazy_pattern(
    r"(?i)(?:[?&;]|\\u0026|%26)((?:x-(?:amz|goog)-)?(?:key|token|auth|sig|signature|credential|"
    r"security-token|hmac|jwt|code|sid|dkey))=([^&\s\"'#<>\\;‹]{1,4096})"
)
_PUBLIC_SEGMENTS = frozenset({"demo", "docs", "public", "services", "api", "webhooks"})


def urls(text: str, lower: str) -> Iterator[Span]:
    """Finds passwords in URLs, keys in RPC paths, keys and signatures in queries."""
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
_PHRASE_RUN = lazy_pattern(
    r"(?<![A-Za-z])[a-z]{3,8}(?![A-Za-z])"
    rf"(?:{_PHRASE_BETWEEN}[a-z]{{3,8}}(?![A-Za-z]))*+"
)
_PHRASE_CONTEXT = lazy_pattern(
    r"(?i)mnemonic|(?:seed|recovery|backup|secret|wallet)[\s_-]{0,2}(?:recovery[\s_-])?"
    r"(?:phrase|words)|bip-?39"
)
_PHRASE_WORD = lazy_pattern(r"[a-z]{3,8}")
_SHORTEST_PHRASE = 12
_SHORTEST_LENGTH_OF_PHRASE = 4 * _SHORTEST_PHRASE - 1


def phrases(text: str, lower: str) -> Iterator[Span]:
    """Finds twelve or more lower-case words after `mnemonic`, `seed phrase` etc."""
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
_HEX_KEY = lazy_pattern(
    r"(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))(?:0x)?(?:[0-9a-fA-F]{64}){1,2}+(?![0-9A-Za-z])"
)
_KEY_CONTEXT = lazy_pattern(
    r"(?i)priv(?:ate)?[\s_.-]{0,2}key|secret|(?:signing|signer|wallet|deployer)[\s_-]{0,2}key|"
    r"\bseed\b|mnemonic"
)
_LABELLED_PUBLIC = lazy_pattern(
    r"(?i)(?:hash|tx|txid|tx_id|transaction|digest|sha-?256|keccak(?:256)?|block|root|commit|"
    r"receipt|topic|public[\s_-]?key|pub[\s_-]?key|fingerprint|checksum)[^A-Za-z0-9]{0,8}\Z"
)
_QUOTED_NAME_BEFORE = lazy_pattern(
    r"([A-Za-z0-9_.$-]{1,60})\\{0,8}[\"']\s{0,3}:\s{0,3}\\{0,8}[\"']?\Z"
)
_LETTERS = lazy_pattern(r"[A-Za-z]")


def hex_keys(text: str, lower: str) -> Iterator[Span]:
    """Finds 64 or 128 hex digits after words about a private key.

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


HINTS = (
    "key",
    "token",
    "secret",
    "pass",
    "pwd",
    "auth",
    "credential",
    "cookie",
    "mnemonic",
    "phrase",
    "seed",
    "jwt",
    "pat",
    "wif",
    "xpr",
    "bearer",
)
"""Every text with a secret's name contains one of these, in lower case."""
_NAME_QUOTE = r"""\\{0,8}["'`]"""
_NAMED = lazy_pattern(
    r"(?<![A-Za-z0-9_.$-])([A-Za-z0-9_.$-]{2,80}+)"
    rf"(?:{_NAME_QUOTE}\]?)?\s{{0,3}}(?::=|=>|={{1,2}}|:|%3[Dd])\s{{0,3}}"
)
_SPACED = lazy_pattern(
    r"(?i)(?<![a-z])((?:api|private|secret|access|client|signing|auth|refresh|encryption|account|"
    r"recovery|session|bearer)[ ](?:key|token|secret|phrase))(?:\s{1,2}is|\s{0,3}[:=])\s{0,3}"
)
_SAID = lazy_pattern(r"(?i)(?<![a-z])(pass(?:word|phrase|code))\s{1,2}(?:is|was)[\s:]\s{0,3}")
_FLAG = lazy_pattern(
    r"""(?<![A-Za-z0-9_-])--?([A-Za-z][A-Za-z0-9_-]{1,60}+)(?:[ \t]{1,4}|["']\s{0,3},\s{0,12})"""
)
_USER_FLAG = lazy_pattern(
    r"""(?<=\s)(?:-u|--user)[ =]{0,2}["']?[^\s"':@/]{1,64}:([^\s"'@/]{1,256})"""
)

_OPENING = lazy_pattern(r"""(\\{0,8})(["'`])""")
_CLOSING = {quote: lazy_pattern(rf"(\\*){quote}") for quote in "\"'`"}
_LIST = lazy_pattern(r"""\[(?:\s{0,16}+\\{0,8}["'][^"'\n]{0,4096}+["']\s{0,16}+,?)++""")
_LIST_ITEM = lazy_pattern(r"""["']([^"'\n\\]*)\\{0,8}["']""")
_YAML_BLOCK = lazy_pattern(r"[|>][+-]?[ \t]{0,8}\r?\n((?:[ \t]+[^\n]*(?:\n|\Z))++)")
_UNQUOTED = lazy_pattern(r"""[^\s"'`\\,;&<>)}\]|]+""")
_PROBE = lazy_pattern(r"""[^\s"'`\\,;&<>)}\]|]{1,256}""")
_TEMPLATE = lazy_pattern(r"\$?\{|\$\(|\$[A-Z_]|%\(")
_CALL = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_.]*[(\[]")
_WORD_OF_SHELL = lazy_pattern(r"[^\s]+")
_REST_OF_LINE = lazy_pattern(r"[^\r\n]+")
_LINE_START = lazy_pattern(r"(?:^|(?<=[\r\n]))[ \t]*(?:export[ \t]+|-[ \t]+)?\Z")
_ESCAPE_BEFORE = lazy_pattern(r"[nrtbf]|u[0-9a-fA-F]{4}")
_PATH = lazy_pattern(r"[~/.]|[A-Za-z]:\\")
_MOSTLY_WHOLE_LINES = (PASSWORD, SECRET, PRIVATE_KEY, API_KEY)
_WEAK_REACH = 4096
_SHORTEST_SPOKEN = 12


def pairs(text: str, lower: str) -> Iterator[Span]:
    """Finds values after a secret's name."""
    if not any(hint in lower for hint in HINTS):
        return
    done = 0
    for match in _NAMED.finditer(text):
        name, at_line_start = _name_of(text, match)
        found = secret_name(name)
        if found is None or match.start() < done:
            continue
        for span in _values(text, match.end(), found, at_line_start and match[0][-1] != ">"):
            done = span.end
            yield span


def spoken(text: str, lower: str) -> Iterator[Span]:
    """Finds `Private key: …` and `the password is …`."""
    for hint, pattern in ((" ", _SPACED), ("pass", _SAID)):
        if hint not in lower:
            continue
        for match in pattern.finditer(text):
            found = secret_name(match[1])
            value = _PROBE.match(text, match.end())
            if found and (value is None or _is_no_sentence(value[0])):
                yield from _values(text, match.end(), found, False)


def flags(text: str, lower: str) -> Iterator[Span]:
    """Finds `--api-key …` in commands and argument lists, and `-u user:…`."""
    if "-" not in text or (not any(hint in lower for hint in HINTS) and "-u" not in text):
        return
    for match in _FLAG.finditer(text):
        found = secret_name(match[1])
        if found and text[match.end() : match.end() + 1] not in ("-", "="):
            yield from _values(text, match.end(), found, False)
    for match in _USER_FLAG.finditer(text):
        if not is_placeholder(match[1]) and not match[1].isdigit():
            yield Span(*match.span(1), PASSWORD)


def _name_of(text: str, match: re.Match[str]) -> tuple[str, bool]:
    """Returns the name without a preceding escape, and whether it starts its line."""
    name, start = match[1], match.start()
    before = text[start - 1] if start else ""
    if before == "\\":
        escape = _ESCAPE_BEFORE.match(name)
        name = name[escape.end() :] if escape else name
    elif before == "%":
        name = name[2:]
    return name, bool(_LINE_START.search(text, max(0, start - 16), start))


def _values(text: str, at: int, name: SecretName, at_line_start: bool) -> Iterator[Span]:
    """Yields what to hide of the value at `at`."""
    if name.sure and text[at : at + 1] == "[":
        items = _LIST.match(text, at)
        if items:
            for item in _LIST_ITEM.finditer(text, at, items.end()):
                if _is_secret(item[1], name):
                    yield Span(*item.span(1), name.kind)
            return
    if name.sure and text[at : at + 1] in ("|", ">"):
        block = _YAML_BLOCK.match(text, at)
        if block:
            yield Span(block.start(1), block.start(1) + len(block[1].rstrip()), name.kind)
            return
    opening = _OPENING.match(text, at)
    if opening:
        start, end = opening.end(), _end_of_quoted(text, opening, name.sure)
        if _is_secret(text[start:end], name):
            yield Span(start, end, name.kind)
    elif name.kind != MNEMONIC:
        yield from _unquoted(text, at, name, at_line_start)


def _end_of_quoted(text: str, opening: re.Match[str], far: bool) -> int:
    """Returns the end of a quoted value: its quote, or the line end if the text was cut off.

    JSON inside of JSON escapes its quotes: with k backslashes before the opening quote, the
    closing one has k more than a multiple of 2(k + 1), and any other belongs to the value.
    """
    depth = len(opening[1])
    limit = len(text) if far else min(len(text), opening.end() + _WEAK_REACH)
    for closing in _CLOSING[opening[2]].finditer(text, opening.end(), limit):
        if len(closing[1]) % (2 * (depth + 1)) == depth:
            return closing.end() - 1 - depth
    rest = _REST_OF_LINE.match(text, opening.end(), limit)
    return rest.end() if rest else opening.end()


def _unquoted(text: str, at: int, name: SecretName, at_line_start: bool) -> Iterator[Span]:
    """Yields an unquoted value: a word, or the rest of the line in a file of settings."""
    probe = _PROBE.match(text, at)
    if probe is None or _TEMPLATE.match(text, at) or not _is_secret(probe[0], name):
        return
    whole_line = at_line_start and name.kind in _MOSTLY_WHOLE_LINES and name.sure
    of_shell = whole_line and text[at - 1] == "="
    if not of_shell and (_CALL.match(probe[0]) or is_code(probe[0])):
        return
    pattern = _UNQUOTED
    if whole_line:
        pattern = _WORD_OF_SHELL if of_shell else _REST_OF_LINE
    match = pattern.match(text, at)
    if match:
        yield Span(at, at + len(match[0].rstrip()), name.kind)


def _is_secret(value: str, name: SecretName) -> bool:
    """True if this value of this name must be hidden."""
    bare = value.strip()
    if name.kind == MNEMONIC:
        return len(bare.split()) >= _SHORTEST_SPOKEN or (len(bare) >= 64 and looks_random(bare))
    if not bare or is_placeholder(bare):
        return False
    if not name.sure:
        return looks_random(bare)
    if name.kind == PASSWORD:
        return not (name.may_be_path and _PATH.match(bare))
    return not (bare.isdigit() and name.kind in (TOKEN, SECRET, API_KEY))


def _is_no_sentence(value: str) -> bool:
    """True for `the password is hunter2`, False for `the password is wrong`."""
    return any(map(str.isdigit, value)) or (len(value) > 5 and looks_like_token(value))


def whole_value(name: str, text: str) -> SecretName | None:
    """Returns the secret that the whole value `text` of `name` is, else None."""
    found = secret_name(name)
    return found if found and _is_secret(text, found) else None

"""Secrets that a name announces: `"api_key": …`, `PASSWORD=…`, `--token …`, `the password is …`."""

import re
from collections.abc import Iterator

from inspector.text.late_pattern import late
from inspector.text.secret_names import (
    API_KEY,
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
from inspector.text.secret_shapes import Span

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
"""What a text holds, in lower case, if any name in it announces a secret."""
_QUOTE = r"""\\{0,8}["'`]"""
_NAMED = late(
    r"(?<![A-Za-z0-9_.$-])([A-Za-z0-9_.$-]{2,80}+)"
    rf"(?:{_QUOTE}\]?)?\s{{0,3}}(?::=|=>|={{1,2}}|:|%3[Dd])\s{{0,3}}"
)
_SPACED = late(
    r"(?i)(?<![a-z])((?:api|private|secret|access|client|signing|auth|refresh|encryption|account|"
    r"recovery|session|bearer)[ ](?:key|token|secret|phrase))(?:\s{1,2}is|\s{0,3}[:=])\s{0,3}"
)
_SAID = late(r"(?i)(?<![a-z])(pass(?:word|phrase|code))\s{1,2}(?:is|was)[\s:]\s{0,3}")
_FLAG = late(
    r"""(?<![A-Za-z0-9_-])--?([A-Za-z][A-Za-z0-9_-]{1,60}+)(?:[ \t]{1,4}|["']\s{0,3},\s{0,12})"""
)
_USER_FLAG = late(r"""(?<=\s)(?:-u|--user)[ =]{0,2}["']?[^\s"':@/]{1,64}:([^\s"'@/]{1,256})""")

_OPENING = late(r"""(\\{0,8})(["'`])""")
_CLOSING = {quote: late(rf"(\\*){quote}") for quote in "\"'`"}
_LIST = late(r"""\[(?:\s{0,16}+\\{0,8}["'][^"'\n]{0,4096}+["']\s{0,16}+,?)++""")
_LIST_ITEM = late(r"""["']([^"'\n\\]*)\\{0,8}["']""")
_YAML_BLOCK = late(r"[|>][+-]?[ \t]{0,8}\r?\n((?:[ \t]+[^\n]*(?:\n|\Z))++)")
_UNQUOTED = late(r"""[^\s"'`\\,;&<>)}\]|]+""")
_PROBE = late(r"""[^\s"'`\\,;&<>)}\]|]{1,256}""")
_TEMPLATE = late(r"\$?\{|\$\(|\$[A-Z_]|%\(")
_CALL = late(r"[A-Za-z_][A-Za-z0-9_.]*[(\[]")
_WORD_OF_SHELL = late(r"[^\s]+")
_REST_OF_LINE = late(r"[^\r\n]+")
_LINE_START = late(r"(?:^|(?<=[\r\n]))[ \t]*(?:export[ \t]+|-[ \t]+)?\Z")
_ESCAPE_BEFORE = late(r"[nrtbf]|u[0-9a-fA-F]{4}")
_PATH = late(r"[~/.]|[A-Za-z]:\\")
_MOSTLY_WHOLE_LINES = (PASSWORD, SECRET, PRIVATE_KEY, API_KEY)
_WEAK_REACH = 4096
_SHORTEST_PHRASE = 12


def pairs(text: str, lower: str) -> Iterator[Span]:
    """Values behind a name that announces a secret."""
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
    """`Private key: …`, `the password is …`."""
    for hint, pattern in ((" ", _SPACED), ("pass", _SAID)):
        if hint not in lower:
            continue
        for match in pattern.finditer(text):
            found = secret_name(match[1])
            value = _PROBE.match(text, match.end())
            if found and (value is None or _is_no_sentence(value[0])):
                yield from _values(text, match.end(), found, False)


def flags(text: str, lower: str) -> Iterator[Span]:
    """`--api-key …` on a command line or in a list of arguments; `-u user:…`."""
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
    """The name without the end of an escape before it, and whether it begins its line."""
    name, start = match[1], match.start()
    before = text[start - 1] if start else ""
    if before == "\\":
        escape = _ESCAPE_BEFORE.match(name)
        name = name[escape.end() :] if escape else name
    elif before == "%":
        name = name[2:]
    return name, bool(_LINE_START.search(text, max(0, start - 16), start))


def _values(text: str, at: int, name: SecretName, at_line_start: bool) -> Iterator[Span]:
    """What to hide of the value that begins at `at`."""
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
    """Where the quoted value ends: at its quote, or with its line when the text was cut off.

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
    """A bare word; the rest of the line where a file gives one value a line."""
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
    """Whether this value of this name is to be hidden."""
    bare = value.strip()
    if name.kind == MNEMONIC:
        return len(bare.split()) >= _SHORTEST_PHRASE or (len(bare) >= 64 and looks_random(bare))
    if not bare or is_placeholder(bare):
        return False
    if not name.sure:
        return looks_random(bare)
    if name.kind == PASSWORD:
        return not (name.may_be_path and _PATH.match(bare))
    return not (bare.isdigit() and name.kind in (TOKEN, SECRET, API_KEY))


def _is_no_sentence(value: str) -> bool:
    """`The password is wrong` goes on; `the password is hunter2` has said it."""
    return any(map(str.isdigit, value)) or (len(value) > 5 and looks_like_token(value))


def whole_value(name: str, text: str) -> SecretName | None:
    """The kind of secret that all of `text` is when it is the value of `name`, else None."""
    found = secret_name(name)
    return found if found and _is_secret(text, found) else None

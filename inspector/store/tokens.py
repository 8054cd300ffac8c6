"""Tokens that stand for content, so that what was computed from it need not be computed again."""

import secrets
from dataclasses import dataclass, field

from inspector.store.fingerprint import Look


@dataclass(frozen=True, slots=True)
class Token:
    """Equal tokens, equal content of one database; different ones may still be the same.

    `last_write_ms` is when the database, its journal or its log was last written (UTC ms); it takes
    no part in the comparison.
    """

    key: tuple[object, ...]
    last_write_ms: int = field(compare=False)


def token(seen: Look, key: tuple[object, ...]) -> Token:
    """The token of content that `key` identifies."""
    return Token(key, seen.last_write_ms)


def unique_token(seen: Look) -> Token:
    """A token that never equals another, for content that may still move."""
    return Token((secrets.token_bytes(16),), seen.last_write_ms)


def plain_token(seen: Look) -> Token:
    """The token of content that no log covers."""
    unjournalled = seen.being_written and seen.journal_idle
    if seen.racy_for_ns or unjournalled:
        return unique_token(seen)
    return token(seen, (seen.db, seen.birth, seen.head, seen.journal_key))

"""Receipts and world models as OpenProse addresses them.

Source: OpenProse's receipt module: the content address is the SHA-256 of an envelope in canonical
JSON. The demonstration's own receipts hold whole numbers and ASCII keys only, for which canonical
JSON is sorted keys without spaces.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.demo.language import Commit

SIGNATURE = {"null_reason": "no-signer-adapter-configured", "scheme": "none"}
MODEL = {"provider": "demo", "model": "demo-model"}
NO_MODEL = {"provider": "none", "model": "none"}


def canonical(value: object) -> str:
    """JSON with sorted keys and no spaces, characters beyond ASCII as they are."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sha256(data: bytes | str) -> str:
    """A content address: `sha256:` and 64 hex digits."""
    raw = data.encode() if isinstance(data, str) else data
    return f"sha256:{hashlib.sha256(raw).hexdigest()}"


def address(receipt: Mapping[str, Any]) -> str:
    """The content address of a receipt, without the address itself."""
    return sha256(canonical({"schema": "openprose.receipt", "hash_algorithm": "sha256", **receipt}))


def world_model(files: Mapping[str, str]) -> bytes:
    """The canonical bytes of a world model: files in the order of their paths."""
    named = sorted((path.encode(), content.encode()) for path, content in files.items())
    parts = [b"OPWM1", struct.pack("<I", len(named))]
    for path, content in named:
        parts += [struct.pack("<I", len(path)), path, struct.pack("<I", len(content)), content]
    return b"".join(parts)


@dataclass(slots=True)
class Issued:
    """A receipt with what it publishes."""

    receipt: dict[str, Any]
    version: str | None = None
    """Address of the world model, None when nothing is published."""
    artifact: bytes = b""


@dataclass(slots=True)
class Ledger:
    """The receipts of one run so far: the newest of every node."""

    program: str
    heads: dict[str, str] = field(default_factory=dict)
    """Node → address of its newest receipt."""
    tokens: dict[str, dict[str, str]] = field(default_factory=dict)
    """Node → facet → token, as its newest receipt has them."""
    count: int = 0

    def issue(self, commit: Commit) -> Issued:
        """The next receipt of a node, chained to the one before."""
        self.count += 1
        artifact = world_model(commit.truth) if commit.truth is not None else b""
        facets = self._facets(commit, artifact)
        known = [node for node in commit.inputs if node in self.heads]
        receipt: dict[str, Any] = {
            "node": commit.node,
            "contract_fingerprint": sha256(f"{self.program}/{commit.node}"),
            "wake": {"source": commit.cause, "refs": [self.heads[node] for node in known]},
            "input_fingerprints": [self.tokens[node]["@atomic"] for node in known],
            "fingerprints": facets,
            "semantic_diff": dict(commit.diff),
            "prev": self.heads.get(commit.node),
            "status": commit.status,
            "cost": self._cost(commit),
            "sig": SIGNATURE,
        }
        self.heads[commit.node] = address(receipt)
        self.tokens[commit.node] = facets
        return Issued(receipt, facets["@atomic"] if artifact else None, artifact)

    def _facets(self, commit: Commit, artifact: bytes) -> dict[str, str]:
        before = self.tokens.get(commit.node)
        if before is not None and commit.status != "rendered":
            return dict(before)
        own = sha256(artifact) if artifact else sha256(f"{commit.node}#{self.count}")
        return {"@atomic": own} | {name: sha256(f"{own}/{name}") for name in commit.facets}

    @staticmethod
    def _cost(commit: Commit) -> dict[str, Any]:
        spent = {"fresh": commit.fresh, "reused": commit.reused}
        model = NO_MODEL if commit.status == "skipped" else MODEL
        return {**model, "tokens": spent, "surprise_cause": commit.cause}

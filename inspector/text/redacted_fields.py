"""Fields that are redacted by name: private to a run in Grimoire, pending calls in Prism."""

from __future__ import annotations

REDACTED = {
    "rpc_url": "rpc address",
    "rpc_by_chain": "rpc address",
    "resolved_params": "parameter",
}
"""Fields of Grimoire's provenance with parameters of one run → kind in the label."""

RPC_BY_CHAIN, PARAMS, PARAMETER = "rpc_by_chain", "params", "parameter"
MANIFEST = frozenset({RPC_BY_CHAIN, PARAMS})
"""Fields of a cross-chain manifest, whose parameters are redacted too."""
MANIFEST_SIGNS = frozenset({RPC_BY_CHAIN, "destination_spell_id", "handoff_timeout_sec"})
"""Fields any of which identifies the beginning of a manifest."""

PENDING = "pendingCalls"
"""Calls waiting for approval (Prism): secrets in their arguments are not yet replaced."""
ARGUMENTS, ARGUMENT = "arguments", "argument"

VALUE_OF_NAME = frozenset({"value", "preview"})
"""Fields with the value that the sibling field `name` names."""

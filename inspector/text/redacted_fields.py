"""Names of what a runtime keeps for one run alone, and what it is called where it is hidden.

Grimoire's provenance and manifests; Prism's calls that wait for an approval.
"""

from __future__ import annotations

WITHHELD = {
    "rpc_url": "rpc address",
    "rpc_by_chain": "rpc address",
    "resolved_params": "parameter",
}
"""Fields of Grimoire's provenance that hold what a person gave for a run alone."""

RPC_BY_CHAIN, PARAMS, PARAMETER = "rpc_by_chain", "params", "parameter"
MANIFEST = frozenset({RPC_BY_CHAIN, PARAMS})
"""Fields that a cross-chain manifest has; its parameters are withheld too."""
OF_A_MANIFEST = frozenset({RPC_BY_CHAIN, "destination_spell_id", "handoff_timeout_sec"})
"""Fields by any of which the beginning of a manifest is known as one."""

PENDING = "pendingCalls"
"""Calls that wait for an approval (Prism): nothing replaced the secrets in their arguments yet."""
ARGUMENTS, ARGUMENT = "arguments", "argument"

VALUE_OF_NAME = frozenset({"value", "preview"})
"""Fields that hold the value of what the field `name` beside them names."""

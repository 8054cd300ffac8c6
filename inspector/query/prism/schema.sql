-- The tables and indexes that Prism 0.3.0 checks on opening, in the order of its check.
-- `since N` and `until N` name the schema versions that have a statement or column.

CREATE TABLE prism_tenants (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    metadata TEXT,
    PRIMARY KEY (id)
);

CREATE TABLE prism_accounts (
    id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (tenant_id) REFERENCES prism_tenants (id)
);

CREATE TABLE prism_users (
    id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    account_id TEXT,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    metadata TEXT,
    PRIMARY KEY (id)
);

CREATE TABLE prism_agent_definitions (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    source TEXT,
    agent_definition TEXT NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    created_at TEXT NOT NULL,
    created_by TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    UNIQUE (name, version)
);

CREATE TABLE prism_sessions (
    id TEXT NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    parent_session_id TEXT,
    agent_definition_id TEXT,
    agent_definition_version TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    expires_at TEXT,
    retention_policy_id TEXT,
    metadata TEXT,
    version INTEGER NOT NULL DEFAULT 0, -- since 8
    PRIMARY KEY (id)
);

CREATE TABLE prism_branches (
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    name TEXT,
    root_entry_id TEXT,
    parent_branch_id TEXT,
    leaf_entry_id TEXT,
    created_at TEXT NOT NULL,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id)
);

CREATE TABLE prism_session_entries (
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    parent_id TEXT,
    run_id TEXT,
    timestamp TEXT NOT NULL,
    kind TEXT NOT NULL,
    schema_version INTEGER,
    message TEXT,
    event TEXT,
    model TEXT,
    previous_model TEXT,
    label TEXT,
    summary TEXT,
    data TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id),
    FOREIGN KEY (parent_id) REFERENCES prism_session_entries (id)
);

CREATE TABLE prism_session_append_idempotency (
    session_id TEXT NOT NULL,
    expected_parent_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    PRIMARY KEY (session_id, expected_parent_id, idempotency_key),
    UNIQUE (session_id, expected_parent_id, idempotency_key),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id)
);

CREATE TABLE prism_runs (
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    branch_id TEXT,
    agent_definition_id TEXT,
    agent_definition_version TEXT,
    status TEXT,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    model TEXT,
    provider TEXT,
    idempotency_key TEXT,
    abort_reason TEXT,
    error TEXT,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id)
);

CREATE TABLE prism_agent_events (
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    run_id TEXT,
    entry_id TEXT,
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    event TEXT NOT NULL,
    redacted INTEGER NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id)
);

CREATE TABLE prism_agent_event_streams ( -- since 6
    session_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    next_sequence INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (session_id, run_id),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id)
);

CREATE TABLE prism_tool_calls (
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    run_id TEXT,
    entry_id TEXT,
    tool_call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result TEXT,
    status TEXT,
    reason TEXT,
    progress TEXT,
    progress_metadata TEXT,
    progress_at TEXT,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    redacted INTEGER NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id)
);

CREATE TABLE prism_usage (
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    run_id TEXT,
    entry_id TEXT,
    scope TEXT NOT NULL DEFAULT 'run_total', -- since 2
    turn INTEGER, -- since 2
    attempt INTEGER, -- since 2
    usage TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (session_id) REFERENCES prism_sessions (id)
);

CREATE TABLE prism_run_feedback ( -- since 3
    id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    trace_id TEXT,
    rating REAL,
    comment TEXT,
    tags TEXT NOT NULL,
    scorer_ids TEXT NOT NULL,
    evaluation_ids TEXT NOT NULL,
    created_at TEXT NOT NULL,
    created_by TEXT,
    tenant_id TEXT NOT NULL,
    account_id TEXT,
    user_id TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (run_id) REFERENCES prism_runs (id)
);

CREATE TABLE prism_retention_policies (
    id TEXT NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    name TEXT,
    max_age_days INTEGER,
    max_entries_per_session INTEGER,
    max_total_bytes INTEGER,
    archive_store TEXT,
    applied_kinds TEXT,
    created_at TEXT NOT NULL,
    metadata TEXT,
    PRIMARY KEY (id)
);

CREATE TABLE prism_legal_holds ( -- since 5
    id TEXT NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    resource_kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL,
    created_by TEXT,
    metadata TEXT,
    PRIMARY KEY (id)
);

CREATE TABLE prism_tenant_quotas ( -- since 5
    id TEXT NOT NULL,
    tenant_id TEXT,
    account_id TEXT,
    user_id TEXT,
    resource_kind TEXT NOT NULL,
    limit_count INTEGER NOT NULL,
    used_count INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (tenant_id, account_id, user_id, resource_kind)
);

CREATE TABLE prism_migrations (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    applied_at TEXT NOT NULL,
    applied_by TEXT,
    checksum TEXT,
    metadata TEXT,
    PRIMARY KEY (id),
    UNIQUE (name, version)
);

CREATE INDEX prism_sessions_tenant_created_idx
    ON prism_sessions (tenant_id, account_id, user_id, created_at);
CREATE INDEX prism_sessions_expires_idx
    ON prism_sessions (expires_at);
CREATE INDEX prism_branches_session_name_idx
    ON prism_branches (session_id, name);
CREATE INDEX prism_branches_leaf_idx
    ON prism_branches (leaf_entry_id);
CREATE INDEX prism_session_entries_session_parent_idx
    ON prism_session_entries (session_id, parent_id);
CREATE INDEX prism_session_entries_session_kind_ts_idx
    ON prism_session_entries (session_id, kind, timestamp);
CREATE INDEX prism_session_entries_session_run_ts_idx
    ON prism_session_entries (session_id, run_id, timestamp);
CREATE INDEX prism_session_entries_session_ts_id_idx
    ON prism_session_entries (session_id, timestamp, id);
CREATE INDEX prism_session_entries_session_id_idx
    ON prism_session_entries (session_id, id);
CREATE INDEX prism_session_append_idempotency_unique
    ON prism_session_append_idempotency (session_id, expected_parent_id, idempotency_key);
CREATE INDEX prism_runs_session_started_idx
    ON prism_runs (session_id, started_at, id);
CREATE INDEX prism_runs_branch_started_idx
    ON prism_runs (branch_id, started_at, id);
CREATE UNIQUE INDEX prism_runs_tenant_idempotency_unique
    ON prism_runs (tenant_id, idempotency_key);
CREATE INDEX prism_agent_events_run_sequence_idx -- until 5
    ON prism_agent_events (run_id, sequence);
CREATE UNIQUE INDEX prism_agent_events_run_sequence_idx -- since 6
    ON prism_agent_events (run_id, sequence);
CREATE INDEX prism_agent_events_session_ts_id_idx
    ON prism_agent_events (session_id, timestamp, id);
CREATE INDEX prism_agent_events_owner_timestamp_sequence_idx -- since 7
    ON prism_agent_events (tenant_id, account_id, user_id, timestamp, sequence, id);
CREATE INDEX prism_tool_calls_session_name_started_idx
    ON prism_tool_calls (session_id, name, started_at);
CREATE INDEX prism_tool_calls_run_started_idx
    ON prism_tool_calls (run_id, started_at);
CREATE INDEX prism_usage_run_recorded_idx
    ON prism_usage (run_id, recorded_at, id);
CREATE INDEX prism_usage_session_recorded_idx
    ON prism_usage (session_id, recorded_at);
CREATE INDEX prism_usage_session_scope_recorded_idx -- since 2
    ON prism_usage (session_id, scope, recorded_at);
CREATE INDEX prism_run_feedback_owner_created_idx -- since 3
    ON prism_run_feedback (tenant_id, account_id, user_id, created_at, id);
CREATE INDEX prism_run_feedback_run_created_idx -- since 3
    ON prism_run_feedback (run_id, created_at, id);
CREATE INDEX prism_run_feedback_trace_created_idx -- since 3
    ON prism_run_feedback (trace_id, created_at, id);
CREATE INDEX prism_agent_definitions_name_version_idx
    ON prism_agent_definitions (name, version);
CREATE INDEX prism_legal_holds_owner_resource_idx -- since 5
    ON prism_legal_holds (tenant_id, account_id, user_id, resource_kind, resource_id);
CREATE INDEX prism_legal_holds_created_id_idx -- since 5
    ON prism_legal_holds (created_at, id);
CREATE INDEX prism_tenant_quotas_owner_kind_idx -- since 5
    ON prism_tenant_quotas (tenant_id, account_id, user_id, resource_kind);
CREATE INDEX prism_migrations_name_version_idx
    ON prism_migrations (name, version);

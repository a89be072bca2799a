-- The first schema. Times are microseconds since 1970 in UTC; ids that LangGraph or users give are
-- kept as they are, never joined with separators.

CREATE TABLE scopes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    UNIQUE (tenant_id, user_id)
) STRICT;

-- L3. The ledger: what was said. Rows are never changed; seq is the order of arrival.
CREATE TABLE episodes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    role TEXT NOT NULL,
    speaker TEXT NOT NULL,
    text TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    UNIQUE (scope_id, session_id, message_id)
) STRICT;
CREATE INDEX episodes_by_place ON episodes (scope_id, session_id, position);

-- L4. What is known. A value that was superseded moves to versions.
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    slot TEXT NOT NULL,
    importance INTEGER NOT NULL,
    confidence REAL NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_access_at INTEGER,
    access_count INTEGER NOT NULL,
    tags TEXT NOT NULL,
    privacy TEXT NOT NULL,
    status TEXT NOT NULL,
    sources TEXT NOT NULL,
    evidence_count INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;
-- One live value for each (owner, subject, slot); the rule that concurrent writers meet.
CREATE UNIQUE INDEX memories_live ON memories (scope_id, subject, slot)
    WHERE status IN ('active', 'pending_archive');
CREATE INDEX memories_by_slot ON memories (scope_id, subject, slot);
CREATE INDEX memories_by_status ON memories (status, scope_id);

CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    snapshot TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;
CREATE INDEX versions_by_memory ON versions (memory_id, valid_from);
CREATE INDEX versions_by_scope ON versions (scope_id);

-- L5.
CREATE TABLE entities (
    id TEXT PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    properties TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (scope_id, type, name)
) STRICT;
CREATE TABLE relations (
    id TEXT PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    subject_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    predicate TEXT NOT NULL,
    object_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER
) STRICT;
CREATE INDEX relations_by_subject ON relations (scope_id, subject_id);
CREATE INDEX relations_by_object ON relations (scope_id, object_id);

-- L6.
CREATE TABLE skills (
    id TEXT PRIMARY KEY,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    trigger TEXT NOT NULL,
    steps TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- L2, where no Redis keeps it.
CREATE TABLE sessions (
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    session_id TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (scope_id, session_id)
) STRICT;

-- Turns that wait for extraction. A finished job stays, so that no turn is ever extracted twice.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    extractor TEXT NOT NULL,
    work TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    error TEXT NOT NULL,
    UNIQUE (episode_id, extractor)
) STRICT;
CREATE INDEX outbox_waiting ON outbox (due_at, id) WHERE state = 'waiting';

-- What search looks at: one row for each turn and for each value a memory has or had.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_id INTEGER NOT NULL REFERENCES scopes (id),
    layer TEXT NOT NULL,
    record_id TEXT NOT NULL,
    current INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    length INTEGER NOT NULL
) STRICT;
CREATE INDEX entries_by_scope ON entries (scope_id, length);
CREATE INDEX entries_by_record ON entries (record_id);

-- Terms carry their scope ("12·sushi"), so a word of one owner is another word than the same of
-- another: no query walks, and no statistic counts, what belongs to somebody else.
CREATE VIRTUAL TABLE entry_terms USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE entry_vocabulary USING fts5vocab ('entry_terms', 'instance');
CREATE VIRTUAL TABLE entry_frequencies USING fts5vocab ('entry_terms', 'row');

-- Generic items. Namespace labels are UTF-8 joined by NUL, which no label may hold: byte order is
-- then the order of the tuples, and everything below a prefix is one range.
CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace BLOB NOT NULL,
    key BLOB NOT NULL,
    value TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    ttl INTEGER,
    has_terms INTEGER NOT NULL,
    UNIQUE (namespace, key)
) STRICT;
CREATE INDEX items_by_namespace ON items (namespace, updated_at DESC, id DESC, expires_at);
CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;
CREATE VIRTUAL TABLE item_terms USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE item_vocabulary USING fts5vocab ('item_terms', 'instance');

-- Every vector knows its model. Collection 0 holds the vectors of items, owned by items.id; any
-- other is a scope's, owned by entries.id. Ids grow and are never used again, so a reader that
-- keeps a copy asks for what is newer, and reads from the log what is gone.
CREATE TABLE models (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    dims INTEGER NOT NULL
) STRICT;
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    model_id INTEGER NOT NULL REFERENCES models (id),
    owner_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    label BLOB NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE INDEX vectors_by_collection ON vectors (collection, model_id, id);
CREATE INDEX vectors_by_owner ON vectors (collection, owner_id, model_id);
CREATE TABLE vector_deletions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    model_id INTEGER NOT NULL,
    vector_id INTEGER NOT NULL
) STRICT;
CREATE INDEX vector_deletions_by_collection ON vector_deletions (collection, model_id, id);
CREATE TRIGGER vectors_deleted AFTER DELETE ON vectors BEGIN
    INSERT INTO vector_deletions (collection, model_id, vector_id)
        VALUES (old.collection, old.model_id, old.id);
    -- A reader that is further behind than this loads the whole again.
    DELETE FROM vector_deletions WHERE id <= last_insert_rowid() - 10000;
END;
CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
    DELETE FROM entry_terms WHERE rowid = old.id;
    DELETE FROM vectors WHERE collection = old.scope_id AND owner_id = old.id;
END;
CREATE TRIGGER items_deleted AFTER DELETE ON items BEGIN
    DELETE FROM item_terms WHERE rowid = old.id;
    DELETE FROM vectors WHERE collection = 0 AND owner_id = old.id;
END;

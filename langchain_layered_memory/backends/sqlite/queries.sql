-- Every statement of the SQLite backend, by name. Values are always bound. CROSS JOIN keeps SQLite
-- from walking a table where it shall look up the few ids that are asked for. Nothing sorts between
-- a namespace and the first below it, so a prefix is the range from :exact to :high.

-- scope_insert: Make an owner known.
INSERT INTO scopes (tenant_id, user_id) VALUES (:tenant_id, :user_id)
ON CONFLICT DO NOTHING;

-- scope_id: The number of an owner.
SELECT id FROM scopes WHERE tenant_id = :tenant_id AND user_id = :user_id;

-- scope_list: All owners, of one tenant or of all.
SELECT tenant_id, user_id FROM scopes WHERE :tenant_id IS NULL OR tenant_id = :tenant_id
ORDER BY tenant_id, user_id;

-- episode_insert: Store a turn at the end of its session, unless it is stored already.
INSERT INTO episodes (id, scope_id, session_id, agent_id, message_id, role, speaker, text, said_at,
    created_at, position)
SELECT :id, :scope_id, :session_id, :agent_id, :message_id, :role, :speaker, :text, :said_at,
    :created_at, coalesce(max(position) + 1, 0)
FROM episodes WHERE scope_id = :scope_id AND session_id = :session_id
ON CONFLICT (scope_id, session_id, message_id) DO NOTHING
RETURNING position;

-- episodes_known: Which message ids a session holds.
SELECT e.message_id FROM json_each(:ids) AS wanted
CROSS JOIN episodes AS e ON e.scope_id = :scope_id AND e.session_id = :session_id
    AND e.message_id = wanted.value;

-- episodes_by_ids: Turns by their ids, of one owner.
SELECT e.*, s.tenant_id, s.user_id FROM json_each(:ids) AS wanted
CROSS JOIN episodes AS e ON e.id = wanted.value
JOIN scopes AS s ON s.id = e.scope_id
WHERE e.scope_id = :scope_id;

-- episodes_newest: The newest turns of an owner, of one session or all, newest first.
SELECT e.*, s.tenant_id, s.user_id FROM episodes AS e JOIN scopes AS s ON s.id = e.scope_id
WHERE e.scope_id = :scope_id AND (:session_id IS NULL OR e.session_id = :session_id)
ORDER BY e.seq DESC LIMIT :limit;

-- episode_before: What the user said last before a place in a session.
SELECT e.*, s.tenant_id, s.user_id FROM episodes AS e JOIN scopes AS s ON s.id = e.scope_id
WHERE e.scope_id = :scope_id AND e.session_id = :session_id AND e.position < :position
    AND e.role = 'user'
ORDER BY e.position DESC LIMIT 1;

-- job_insert: Queue a turn for extraction, unless that extractor has it already.
INSERT INTO outbox (scope_id, episode_id, extractor, work, state, attempts, due_at, error)
VALUES (:scope_id, :episode_id, :extractor, :work, 'waiting', 0, :due_at, '')
ON CONFLICT DO NOTHING;

-- job_claim: Lease due jobs, oldest first, of one owner or of all.
UPDATE outbox SET due_at = :leased_until, attempts = attempts + 1
WHERE id IN (
    SELECT id FROM outbox
    WHERE state = 'waiting' AND due_at <= :now AND (:scope_id IS NULL OR scope_id = :scope_id)
    ORDER BY id LIMIT :limit
)
RETURNING id, episode_id, extractor, work, attempts;

-- job_episodes: The turns of jobs.
SELECT e.*, s.tenant_id, s.user_id FROM json_each(:ids) AS wanted
CROSS JOIN episodes AS e ON e.id = wanted.value JOIN scopes AS s ON s.id = e.scope_id;

-- job_finish: End a job that still waits.
UPDATE outbox SET state = 'done', error = '' WHERE id = :id AND state = 'waiting';

-- job_fail: Put a job back until a time, or set it aside.
UPDATE outbox SET state = :state, due_at = :due_at, error = :error
WHERE id = :id AND state = 'waiting';

-- memory_insert: A new memory.
INSERT INTO memories (id, scope_id, session_id, agent_id, kind, content, subject, attribute, value,
    slot, importance, confidence, valid_from, valid_until, created_at, updated_at, last_access_at,
    access_count, tags, privacy, status, sources, evidence_count, version)
VALUES (:id, :scope_id, :session_id, :agent_id, :kind, :content, :subject, :attribute, :value,
    :slot, :importance, :confidence, :valid_from, :valid_until, :created_at, :updated_at,
    :last_access_at, :access_count, :tags, :privacy, :status, :sources, :evidence_count, :version);

-- memory_update: Change a memory if it is still at the version that was read.
UPDATE memories SET kind = :kind, content = :content, subject = :subject, attribute = :attribute,
    value = :value, slot = :slot, importance = :importance, confidence = :confidence,
    valid_from = :valid_from, valid_until = :valid_until, updated_at = :updated_at, tags = :tags,
    privacy = :privacy, status = :status, sources = :sources, evidence_count = :evidence_count,
    version = :version
WHERE id = :id AND scope_id = :scope_id AND version = :read_version;

-- memory_by_id: A memory by its id.
SELECT m.*, s.tenant_id, s.user_id FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id
WHERE m.id = :id;

-- memories_in_slots: The live and waiting memories in (subject, slot) places, oldest first.
SELECT m.*, s.tenant_id, s.user_id FROM json_each(:slots) AS wanted
CROSS JOIN memories AS m ON m.scope_id = :scope_id AND m.subject = wanted.value ->> 0
    AND m.slot = wanted.value ->> 1
    AND m.status IN ('active', 'pending_archive', 'pending_verification')
JOIN scopes AS s ON s.id = m.scope_id
ORDER BY m.seq;

-- memories_by_ids: Memories by their ids and status, of one owner.
SELECT m.*, s.tenant_id, s.user_id FROM json_each(:ids) AS wanted
CROSS JOIN memories AS m ON m.id = wanted.value JOIN scopes AS s ON s.id = m.scope_id
WHERE m.scope_id = :scope_id AND m.status IN (SELECT value FROM json_each(:statuses));

-- memories_by_status: Memories of one owner or of all, oldest first.
SELECT m.*, s.tenant_id, s.user_id FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id
WHERE m.status IN (SELECT value FROM json_each(:statuses))
    AND (:scope_id IS NULL OR m.scope_id = :scope_id)
ORDER BY m.seq LIMIT :limit OFFSET :offset;

-- memory_touch: Count one more access.
UPDATE memories SET last_access_at = :now, access_count = access_count + 1
WHERE scope_id = :scope_id AND id IN (SELECT value FROM json_each(:ids));

-- version_after: When the value after a time began.
SELECT min(valid_from) FROM versions WHERE memory_id = :memory_id AND valid_from > :valid_from;

-- version_cut: End the value that held at a time at that time.
UPDATE versions SET valid_to = :valid_from
WHERE memory_id = :memory_id AND valid_from <= :valid_from AND valid_to > :valid_from;

-- version_insert: Keep a value that no longer holds.
INSERT INTO versions (memory_id, scope_id, snapshot, valid_from, valid_to, reason)
VALUES (:memory_id, :scope_id, :snapshot, :valid_from, :valid_to, :reason);

-- versions_by_memories: Former values of memories, oldest first.
SELECT v.*, s.tenant_id, s.user_id FROM json_each(:ids) AS wanted
CROSS JOIN versions AS v ON v.memory_id = wanted.value JOIN scopes AS s ON s.id = v.scope_id
ORDER BY v.valid_from, v.id;

-- outdated_sources: What the former values of an owner's live memories rest on.
SELECT v.memory_id, v.snapshot ->> 'sources' AS sources FROM versions AS v
JOIN memories AS m ON m.id = v.memory_id
WHERE v.scope_id = :scope_id AND m.status = 'active';

-- memories_idle: Active, unimportant, neither used nor changed since a time.
SELECT m.*, s.tenant_id, s.user_id FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id
WHERE m.status = 'active' AND m.importance <= :importance
    AND max(coalesce(m.last_access_at, 0), m.updated_at, m.valid_from) < :since
    AND m.id > :after
ORDER BY m.id LIMIT :limit;

-- memories_expired: Not archived, though their time has passed.
SELECT m.*, s.tenant_id, s.user_id FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id
WHERE m.status IN ('active', 'pending_archive', 'pending_verification')
    AND m.valid_until <= :now AND m.id > :after
ORDER BY m.id LIMIT :limit;

-- memories_archived: In the archive, or withdrawn, unchanged since a time.
SELECT m.*, s.tenant_id, s.user_id FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id
WHERE m.status IN ('archived', 'retracted') AND m.updated_at < :since AND m.id > :after
ORDER BY m.id LIMIT :limit;

-- memory_set_status: Move a memory to a status if nobody changed it meanwhile.
UPDATE memories SET status = :status, updated_at = :now, version = version + 1
WHERE id = :id AND version = :version;

-- memory_delete: Delete a memory for good if nobody changed it meanwhile.
DELETE FROM memories WHERE id = :id AND version = :version;

-- entry_insert: Make a turn, or a value of a memory, findable.
INSERT INTO entries (scope_id, layer, record_id, current, session_id, position, at, length)
VALUES (:scope_id, :layer, :record_id, 1, :session_id, :position, :at, :length);

-- entry_terms_insert: The terms that it is found by, marked with their owner.
INSERT INTO entry_terms (rowid, terms) VALUES (:id, :terms);

-- entry_retire: What a memory said until now is found as its former value.
UPDATE entries SET current = 0 WHERE record_id = :record_id AND layer = 'memories' AND current = 1;

-- entries_delete: A record is findable no more.
DELETE FROM entries WHERE record_id = :record_id AND layer = :layer;

-- scope_sizes: How many entries an owner has and how many terms in all.
SELECT count(*) AS entries, coalesce(sum(length), 0) AS terms FROM entries
WHERE scope_id = :scope_id;

-- document_frequency: In how many entries a term stands.
SELECT doc AS documents FROM entry_frequencies WHERE term = :term;

-- postings: Where a term stands, how often, with what ranking needs to know of the entry.
SELECT v.doc, count(*) AS frequency, e.layer, e.record_id, e.session_id, e.position, e.length, e.at
FROM entry_vocabulary AS v CROSS JOIN entries AS e ON e.id = v.doc
WHERE v.term = :term GROUP BY v.doc;

-- entries_by_ids: What vector hits are hits on.
SELECT entries.* FROM json_each(:ids) AS wanted
CROSS JOIN entries ON entries.id = wanted.value;

-- entries_without_vector: Current entries that a model has not embedded, oldest first.
SELECT e.id, e.layer, e.record_id, e.scope_id FROM entries AS e
WHERE e.id > :after AND e.current = 1 AND NOT EXISTS (
    SELECT 1 FROM vectors AS v WHERE v.collection = e.scope_id AND v.owner_id = e.id
        AND v.model_id = :model_id)
ORDER BY e.id LIMIT :limit;

-- entry_scope: Whose an entry is, if it still is.
SELECT scope_id FROM entries WHERE id = :id;

-- model_insert: Make an embedding model known.
INSERT INTO models (name, dims) VALUES (:name, :dims) ON CONFLICT DO NOTHING;

-- model_by_name: The number and length of a model's vectors.
SELECT id, dims FROM models WHERE name = :name;

-- vector_insert: Store one vector.
INSERT INTO vectors (collection, model_id, owner_id, path, label, vector)
VALUES (:collection, :model_id, :owner_id, :path, :label, :vector);

-- vectors_delete: Drop an owner's vectors of one model.
DELETE FROM vectors
WHERE collection = :collection AND owner_id = :owner_id AND model_id = :model_id;

-- item_vectors_delete: Drop the vectors of some items.
DELETE FROM vectors WHERE collection = :collection
    AND owner_id IN (SELECT value FROM json_each(:ids));

-- vectors_newer: A collection's vectors since an id, in order.
SELECT id, owner_id, label, vector FROM vectors
WHERE collection = :collection AND model_id = :model_id AND id > :after ORDER BY id;

-- vectors_count: The size of a collection.
SELECT count(*) FROM vectors WHERE collection = :collection AND model_id = :model_id;

-- vectors_foreign: A model other than this that the collection has vectors of.
SELECT name FROM models WHERE id <> :model_id AND EXISTS (
    SELECT 1 FROM vectors WHERE collection = :collection AND model_id = models.id) LIMIT 1;

-- deletions_newer: The vectors of a collection that were deleted since.
SELECT id, vector_id FROM vector_deletions
WHERE collection = :collection AND model_id = :model_id AND id > :after ORDER BY id;

-- deletions_range: The oldest and newest deletion on record.
SELECT coalesce(min(id), 0) AS oldest,
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vector_deletions'), 0) AS newest
FROM vector_deletions;

-- item_get: One item.
SELECT id, namespace, key, value, created_at, updated_at, ttl FROM items
WHERE namespace = :namespace AND key = :key
    AND (expires_at IS NULL OR expires_at > :visible_at);

-- item_put: Write an item; it keeps its time of creation. Tells if it was found by terms before.
INSERT INTO items (namespace, key, value, created_at, updated_at, expires_at, ttl, has_terms)
VALUES (:namespace, :key, :value, :now, :now, :expires_at, :ttl, 0)
ON CONFLICT (namespace, key) DO UPDATE SET
    value = excluded.value, updated_at = max(excluded.updated_at, items.updated_at + 1),
    expires_at = excluded.expires_at, ttl = excluded.ttl,
    created_at = CASE WHEN items.expires_at <= :now THEN :now ELSE items.created_at END
RETURNING id, has_terms;

-- item_has_terms: Note whether an item is found by terms.
UPDATE items SET has_terms = :has_terms WHERE id = :id;

-- item_delete: Delete an item.
DELETE FROM items WHERE namespace = :namespace AND key = :key;

-- items_list: Items at and below a prefix, last written first; sorted before they are read.
SELECT i.id, i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl
FROM (
    SELECT id, updated_at FROM items
    WHERE namespace >= :exact AND namespace < :high
        AND (expires_at IS NULL OR expires_at > :visible_at)
    ORDER BY updated_at DESC, id DESC LIMIT :limit OFFSET :offset
) AS chosen CROSS JOIN items AS i ON i.id = chosen.id
ORDER BY chosen.updated_at DESC, chosen.id DESC;

-- items_below: Whether a prefix has anything below.
SELECT 1 FROM items WHERE namespace >= :low AND namespace < :high LIMIT 1;

-- items_list_exact: Items of one namespace that has none below, by an index that needs no sorting.
SELECT id, namespace, key, value, created_at, updated_at, ttl FROM items
WHERE namespace = :exact AND (expires_at IS NULL OR expires_at > :visible_at)
ORDER BY updated_at DESC, id DESC LIMIT :limit OFFSET :offset;

-- items_list_unindexed: Items below a prefix that a model has no vector of, last written first.
SELECT id, namespace, key, value, created_at, updated_at, ttl FROM items
WHERE namespace >= :exact AND namespace < :high
    AND (expires_at IS NULL OR expires_at > :visible_at)
    AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.collection = 0 AND v.owner_id = items.id
        AND v.model_id = :model_id)
ORDER BY updated_at DESC, id DESC;

-- items_by_ids: Items by number.
SELECT id, namespace, key, value, created_at, updated_at, ttl FROM items
WHERE id IN (SELECT value FROM json_each(:ids))
    AND (expires_at IS NULL OR expires_at > :visible_at);

-- item_ids: The numbers of the items below a prefix.
SELECT id FROM items
WHERE namespace >= :exact AND namespace < :high LIMIT :limit;

-- item_refresh: Start the time of items anew; what has expired stays expired.
UPDATE items SET expires_at = :now + ttl
WHERE id IN (SELECT value FROM json_each(:ids)) AND ttl IS NOT NULL AND expires_at > :now;

-- item_namespaces: Every namespace that has a visible item, found by leaping from one to the next.
WITH RECURSIVE leap (namespace) AS (
    SELECT min(namespace) FROM items WHERE namespace >= :exact AND namespace < :high
    UNION ALL
    SELECT (SELECT min(i.namespace) FROM items AS i
        WHERE i.namespace > leap.namespace AND i.namespace < :high)
    FROM leap WHERE leap.namespace IS NOT NULL
)
SELECT namespace FROM leap
WHERE namespace >= :exact AND namespace < :high AND EXISTS (
    SELECT 1 FROM items AS i WHERE i.namespace = leap.namespace
        AND (i.expires_at IS NULL OR i.expires_at > :visible_at));

-- items_sweep: Delete what has expired.
DELETE FROM items WHERE expires_at <= :now;

-- item_terms_insert: The terms that an item is found by.
INSERT INTO item_terms (rowid, terms) VALUES (:id, :terms);

-- item_terms_delete: An item is found by them no more.
DELETE FROM item_terms WHERE rowid = :id;

-- item_postings: In which items a term stands, and how often.
SELECT doc, count(*) AS frequency FROM item_vocabulary WHERE term = :term GROUP BY doc;

-- item_lengths: How many terms items have.
SELECT rowid AS id, length(terms) - length(replace(terms, ' ', '')) + 1 AS length FROM item_terms
WHERE rowid IN (SELECT value FROM json_each(:ids));

-- item_terms_size: How many of the items below a prefix have terms.
SELECT count(*) FROM items
WHERE has_terms = 1 AND namespace >= :exact AND namespace < :high;

-- erase_memories: One owner's memories; their history goes with them.
DELETE FROM memories WHERE scope_id = :scope_id;

-- erase_versions: One owner's former values.
DELETE FROM versions WHERE scope_id = :scope_id;

-- erase_outbox: One owner's waiting and finished work.
DELETE FROM outbox WHERE scope_id = :scope_id;

-- erase_episodes: One owner's turns.
DELETE FROM episodes WHERE scope_id = :scope_id;

-- erase_relations: One owner's relations.
DELETE FROM relations WHERE scope_id = :scope_id;

-- erase_entities: One owner's entities.
DELETE FROM entities WHERE scope_id = :scope_id;

-- erase_skills: One owner's skills.
DELETE FROM skills WHERE scope_id = :scope_id;

-- erase_sessions: One owner's sessions.
DELETE FROM sessions WHERE scope_id = :scope_id;

-- erase_entries: One owner's part of the index, vectors and terms included.
DELETE FROM entries WHERE scope_id = :scope_id;

-- secure_delete_on: Overwrite what is deleted from now on.
PRAGMA secure_delete = ON;

-- secure_delete_off: Only mark what is deleted as free, which is quicker.
PRAGMA secure_delete = OFF;

-- entry_terms_rewrite: Write the text index anew, without what was deleted.
INSERT INTO entry_terms (entry_terms) VALUES ('optimize');

-- erase_scope: The owner.
DELETE FROM scopes WHERE id = :scope_id;

-- erase_session_entries: One conversation's part of the index.
DELETE FROM entries
WHERE scope_id = :scope_id AND layer = 'episodes' AND session_id = :session_id;

-- erase_session_episodes: One conversation's turns; their jobs go with them.
DELETE FROM episodes WHERE scope_id = :scope_id AND session_id = :session_id;

-- statistics: Counts by name, of one owner or of all.
SELECT 'episodes' AS name, count(*) AS count FROM episodes
WHERE :scope_id IS NULL OR scope_id = :scope_id
UNION ALL SELECT 'memories ' || status, count(*) FROM memories
WHERE :scope_id IS NULL OR scope_id = :scope_id GROUP BY status
UNION ALL SELECT 'versions', count(*) FROM versions
WHERE :scope_id IS NULL OR scope_id = :scope_id
UNION ALL SELECT 'entities', count(*) FROM entities
WHERE :scope_id IS NULL OR scope_id = :scope_id
UNION ALL SELECT 'skills', count(*) FROM skills
WHERE :scope_id IS NULL OR scope_id = :scope_id
UNION ALL SELECT 'jobs ' || state, count(*) FROM outbox
WHERE :scope_id IS NULL OR scope_id = :scope_id GROUP BY state
UNION ALL SELECT 'vectors', count(*) FROM vectors
WHERE collection > 0 AND (:scope_id IS NULL OR collection = :scope_id)
UNION ALL SELECT 'items', count(*) FROM items WHERE :scope_id IS NULL
UNION ALL SELECT 'users', count(*) FROM scopes WHERE :scope_id IS NULL OR id = :scope_id;

-- record_count: Turns and memories of one owner.
SELECT (SELECT count(*) FROM episodes WHERE scope_id = :scope_id)
    + (SELECT count(*) FROM memories WHERE scope_id = :scope_id);

-- What people said about the use of their data. A record is never changed: who changes their mind gets a new one. It
-- leaves when its person is forgotten, or with the workspace. `subject_id` is the original person id of the
-- identifier that was given; `stated` is everything said so far, without what the regime presumes.
-- json, not jsonb, which refuses characters that a caller may have sent.
CREATE TABLE consents (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  subject_id text COLLATE "C" NOT NULL,
  anonymous_id text,
  regime text CHECK (regime IN ('gdpr', 'kvkk', 'ccpa')),
  stated json NOT NULL,
  gpc boolean NOT NULL,
  source text NOT NULL,
  policy_version text,
  proof json,
  effective_at timestamptz NOT NULL,
  expires_at timestamptz,
  supersedes text,
  recorded_at timestamptz NOT NULL,
  recorded_by text NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX consents_by_subject ON consents (workspace_id, subject_id, effective_at DESC, seq DESC);

CREATE FUNCTION refuse_consent_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'consent records are append-only';
END
$$;
CREATE TRIGGER consents_are_append_only BEFORE UPDATE ON consents
  FOR EACH ROW EXECUTE FUNCTION refuse_consent_change();

-- Everyone about whose consent there is something to ask, by original person id: who has a record, and who is one
-- person with them. Nodes keep a filter of these in memory, so that an event of anybody else asks nothing.
CREATE TABLE consent_subjects (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  original_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace_id, original_id)
);

-- When people become one, or two again, what each said counts for other identifiers than before. The store tells it,
-- in the same transaction, so that no way of merging can forget to.
CREATE FUNCTION tell_moved_consents() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told bigint;
BEGIN
  WITH moved AS (
    SELECT DISTINCT after_rows.workspace_id, person.id
    FROM before_rows
    JOIN after_rows ON after_rows.workspace_id = before_rows.workspace_id
      AND after_rows.original_id = before_rows.original_id AND after_rows.person_id <> before_rows.person_id
    CROSS JOIN LATERAL (VALUES (before_rows.person_id), (after_rows.person_id)) AS person (id)
  ), touched AS (
    SELECT DISTINCT member.workspace_id, member.original_id
    FROM moved
    JOIN identifiers AS member ON member.workspace_id = moved.workspace_id AND member.person_id = moved.id
    WHERE EXISTS (
      SELECT 1 FROM moved AS any_moved
      JOIN identifiers AS holder
        ON holder.workspace_id = any_moved.workspace_id AND holder.person_id = any_moved.id
      JOIN consent_subjects AS subject
        ON subject.workspace_id = holder.workspace_id AND subject.original_id = holder.original_id
      WHERE any_moved.workspace_id = moved.workspace_id)
  ), noted AS (
    INSERT INTO consent_subjects (workspace_id, original_id) SELECT workspace_id, original_id FROM touched
    ON CONFLICT DO NOTHING
  )
  SELECT count(pg_notify('assay_consent', workspace_id || ' ' || original_id)) INTO told FROM touched;
  RETURN NULL;
END
$$;
CREATE TRIGGER identifiers_move_consents AFTER UPDATE ON identifiers
  REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION tell_moved_consents();

-- Who did what to which object. Addresses are not kept, only the country that they belong to.
-- json, not jsonb, which refuses characters that a caller may have sent.
CREATE TABLE audit_log (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('key', 'person', 'system')),
  actor_id text NOT NULL,
  actor_label text NOT NULL,
  action text NOT NULL,
  object_type text NOT NULL,
  object_id text NOT NULL,
  details json NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('done', 'unconfirmed')),
  request_id text NOT NULL,
  country text NOT NULL
);
CREATE INDEX audit_log_by_workspace ON audit_log (workspace_id, id DESC);
CREATE INDEX audit_log_by_object ON audit_log (workspace_id, object_type, object_id, id DESC);

-- Written before a change begins and taken away with the entry that says how it ended. What is left behind by a
-- process that died is an entry too: the change may have taken effect.
CREATE TABLE audit_pending (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  actor_label text NOT NULL,
  action text NOT NULL,
  object_type text NOT NULL,
  object_id text NOT NULL,
  details json NOT NULL,
  request_id text NOT NULL,
  country text NOT NULL
);
CREATE INDEX audit_pending_by_age ON audit_pending (at);

-- Not even the product can rewrite its history, with two exceptions: entries leave with their workspace, and what
-- names a person who is forgotten is taken out of the details of an entry. Who did what and when stays.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('assay.deleted_workspace', true) = OLD.workspace_id THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('assay.forgetting_workspace', true) = OLD.workspace_id THEN
    IF (NEW.id, NEW.workspace_id, NEW.at, NEW.actor_kind, NEW.actor_id, NEW.actor_label, NEW.action, NEW.object_type,
        NEW.outcome, NEW.request_id, NEW.country)
      = (OLD.id, OLD.workspace_id, OLD.at, OLD.actor_kind, OLD.actor_id, OLD.actor_label, OLD.action, OLD.object_type,
         OLD.outcome, OLD.request_id, OLD.country) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END
$$;
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

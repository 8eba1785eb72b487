CREATE TABLE workspaces (
  id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Keys stop working with delete_requested_at. The deletion can be cancelled until delete_started_at.
  delete_requested_at timestamptz,
  delete_requested_by text,
  delete_after timestamptz,
  delete_started_at timestamptz
);

-- What is left of a workspace: that it is gone. A node that was away may still bring events of it, and they go too.
CREATE TABLE deleted_workspaces (
  id text PRIMARY KEY,
  requested_by text NOT NULL,
  deleted_at timestamptz NOT NULL
);

-- The key itself is never stored: only its SHA-256, and a hint that a person can recognise.
CREATE TABLE api_keys (
  id text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text,
  kind text NOT NULL CHECK (kind IN ('public', 'secret', 'live', 'test')),
  name text NOT NULL,
  hint text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  environment text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id DESC);

-- What every node of an installation must share: hash seeds, signing secrets.
CREATE TABLE installation (
  name text PRIMARY KEY,
  value text NOT NULL
);

-- Humans who sign in. An address is kept in lower case, so that one human is one row.
CREATE TABLE users (
  id text PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  email_verified_at timestamptz
);

CREATE TABLE memberships (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'analyst', 'viewer')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id, created_at);

-- One row a sign-in. Where from is kept in words (a browser and a system, a country), never as an address.
CREATE TABLE auth_sessions (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method text NOT NULL CHECK (method IN ('magic-link', 'google', 'github')),
  device text NOT NULL,
  country text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX auth_sessions_by_user ON auth_sessions (user_id, id DESC);

-- A session's chain of tokens, as SHA-256. One that was used names its successor; used again, it ends the session.
CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY,
  session_id text NOT NULL REFERENCES auth_sessions (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  used_at timestamptz,
  replaced_by bytea
);
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);

CREATE TABLE sign_in_links (
  hash bytea PRIMARY KEY,
  email text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX sign_in_links_by_email ON sign_in_links (email, created_at);

-- One row a sign-in that is under way at an identity provider. The client_ columns are set when the sign-in was begun
-- by a client of its own, which gets a code and exchanges it, instead of by the dashboard, which gets cookies.
CREATE TABLE oauth_states (
  hash bytea PRIMARY KEY,
  provider text NOT NULL,
  nonce text NOT NULL,
  code_verifier text NOT NULL,
  return_to text NOT NULL,
  client_redirect_uri text,
  client_state text,
  client_challenge text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE oauth_codes (
  hash bytea PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider text NOT NULL,
  redirect_uri text NOT NULL,
  challenge text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE oauth_identities (
  provider text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (provider, subject)
);
CREATE INDEX oauth_identities_by_user ON oauth_identities (user_id);

-- What access tokens are signed with. A retired key signs nothing more, and is kept while its tokens live.
CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  private_jwk json NOT NULL,
  created_at timestamptz NOT NULL,
  retired_at timestamptz
);

-- The link that was mailed is never stored: only its SHA-256.
CREATE TABLE invitations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'analyst', 'viewer')),
  hash bytea NOT NULL UNIQUE,
  invited_by text NOT NULL,
  invited_by_label text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  accepted_by text,
  revoked_at timestamptz
);
CREATE INDEX invitations_by_workspace ON invitations (workspace_id, id DESC);
CREATE UNIQUE INDEX invitations_open ON invitations (email, workspace_id)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- A person allowed a command on their machine a key of its own; the key is made when the command comes for it. The code
-- that it brings is never stored: only its SHA-256.
CREATE TABLE command_grants (
  hash bytea PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  challenge text NOT NULL,
  name text NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  actor_label text NOT NULL,
  expires_at timestamptz NOT NULL
);

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

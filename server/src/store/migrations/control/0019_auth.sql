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

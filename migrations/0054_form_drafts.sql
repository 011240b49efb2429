-- A form whose sender was signed out keeps its text until they have signed in again. The key is the SHA-256, in base64url, of a
-- cookie of their browser.
create table form_drafts (
  token_hash text primary key check (token_hash ~ '^[A-Za-z0-9_-]{43}$'),
  -- SHA-256 of the client's network address: each may keep a few
  sender     text not null,
  path       text not null,
  fields     jsonb not null,
  expires_at timestamptz not null
);
create index on form_drafts (expires_at);
create index on form_drafts (sender);

-- Personal access tokens, which users create for their own programs (decision 0052).

insert into change_signals (topic) values ('personal_tokens');

create table personal_tokens (
  id            bigint generated always as identity primary key,
  account_id    bigint not null references accounts on delete cascade,
  -- Limits the number of tokens per account, even if several are created at once.
  slot          smallint not null check (slot between 1 and 50),
  -- SHA-256 of the token, in base64url.
  token_hash    text not null unique check (token_hash ~ '^[A-Za-z0-9_-]{43}$'),
  name          text not null check (char_length(name) between 1 and 64),
  -- ["catalog:read", "status:write"]
  scopes        jsonb not null check (jsonb_typeof(scopes) = 'array' and jsonb_array_length(scopes) between 1 and 20),
  created_at    timestamptz(3) not null default now(),
  -- Null for a token that does not expire.
  expires_at    timestamptz(3) check (expires_at > created_at),
  -- The hour of the last use.
  last_used_at  timestamptz(3),
  constraint personal_tokens_account_id_slot_key unique (account_id, slot)
);
create index personal_tokens_by_expiry on personal_tokens (expires_at) where expires_at is not null;

-- A token that no longer exists must be rejected within a second by every process.
create function signal_removed_tokens() returns trigger language plpgsql as $$
begin
  update change_signals set revision = revision + 1
    where topic = 'personal_tokens' and exists (select from removed);
  return null;
end $$;
create trigger signal_removed_tokens after delete on personal_tokens referencing old table as removed
  for each statement execute function signal_removed_tokens();

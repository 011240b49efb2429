-- People sign in, allow apps to act for them, and take it back (§5, §7, decisions §3).
-- Whatever lets its bearer in is stored as its SHA-256 in base64url; texts that must be read again (TOTP secrets) are
-- sealed with SECRET_KEY when it is set.

alter table accounts
  add column nickname           text check (char_length(nickname) between 1 and 64),
  add column picture            text check (picture ~ '^https://' and char_length(picture) <= 2048),
  add column bio                text not null default '' check (char_length(bio) <= 1000),
  add column email_verified_at  timestamptz(3),
  add column banned_at          timestamptz(3),
  add column ban_reason         text,
  -- base32, sealed; null: no authenticator app
  add column totp_secret        text,
  -- the newest time step a code was taken of, so that none is taken twice
  add column totp_last_step     bigint not null default 0;
-- Accounts were made by the operator alone until now, who vouches for their addresses.
update accounts set email_verified_at = created_at;
create index on accounts (banned_at) where banned_at is not null;

create table recovery_codes (
  account_id  bigint not null references accounts on delete cascade,
  code_hash   text not null,
  primary key (account_id, code_hash)
);

create table passkeys (
  credential_id  text primary key,
  account_id     bigint not null references accounts on delete cascade,
  name           text not null check (char_length(name) between 1 and 64),
  -- COSE key, base64url
  public_key     text not null,
  counter        bigint not null default 0,
  transports     jsonb not null default '[]',
  created_at     timestamptz(3) not null default now(),
  last_used_at   timestamptz(3)
);
create index on passkeys (account_id);

-- What a passkey has to sign; taken once.
create table passkey_challenges (
  challenge_hash  text primary key,
  purpose         text not null check (purpose in ('register', 'sign_in')),
  account_id      bigint references accounts on delete cascade,
  expires_at      timestamptz(3) not null
);

-- Links in mails: each good once, for half an hour. Of a sign-up the account is made when its link is followed, so
-- that nobody can prepare an account under somebody else's address.
create table links (
  token_hash     text primary key,
  purpose        text not null check (purpose in ('sign_up', 'reset_password', 'change_email')),
  email          text not null,
  account_id     bigint references accounts on delete cascade,
  name           text,
  password_hash  text,
  -- of a cookie: whether the link is opened in the browser that asked for it
  browser_hash   text,
  -- the sign-in at an app that waits for this
  interaction    text,
  expires_at     timestamptz(3) not null,
  check ((purpose = 'sign_up') = (account_id is null)),
  check ((purpose = 'sign_up') = (password_hash is not null and name is not null))
);
create index on links (account_id);
create index on links (expires_at);

-- Mails to send. They are written down in the transaction that wants them, and links are made when they are sent, so
-- that no secret waits here.
create table mails (
  id               bigint generated always as identity primary key,
  kind             text not null,
  email            text not null,
  language         text not null,
  details          jsonb not null default '{}',
  attempts         integer not null default 0,
  created_at       timestamptz(3) not null default now(),
  next_attempt_at  timestamptz(3) not null default now()
);
create index on mails (next_attempt_at);

-- How often something was tried of late: passwords for an account, from an address, on a known device; mails to an address.
create table attempts (
  key            text primary key,
  tries          integer not null,
  last_try_at    timestamptz(3) not null default now(),
  blocked_until  timestamptz(3)
);
create index on attempts (last_try_at);

-- Browsers somebody has signed in with before: strangers' failures do not slow them down.
create table known_devices (
  account_id    bigint not null references accounts on delete cascade,
  device_hash   text not null,
  last_used_at  timestamptz(3) not null default now(),
  primary key (account_id, device_hash)
);

create table sessions (
  id_hash         text primary key,
  uid             text not null unique,
  -- null: nobody has signed in yet
  account_id      bigint references accounts on delete cascade,
  -- text and not jsonb: it may hold \u0000, which jsonb refuses
  payload         text not null,
  user_agent      text not null default '',
  address         text not null default '',
  -- the request of an app for which the password was last given
  signed_in_for   text,
  created_at      timestamptz(3) not null default now(),
  last_used_at    timestamptz(3) not null default now(),
  expires_at      timestamptz(3) not null
);
create index on sessions (account_id);
create index on sessions (expires_at);

-- What a person has allowed an app: one row for both, whatever the devices. Taking it back is deleting the row.
create table consents (
  account_id    bigint not null references accounts on delete cascade,
  client_id     text not null references apps on delete cascade,
  scopes        jsonb not null check (jsonb_typeof(scopes) = 'array'),
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  last_used_at  timestamptz(3) not null default now(),
  primary key (account_id, client_id)
);
create index on consents (client_id);

-- One authorization of one device or browser; all its tokens end with it.
create table grants (
  id          text primary key,
  account_id  bigint not null,
  client_id   text not null,
  payload     text not null,
  created_at  timestamptz(3) not null default now(),
  expires_at  timestamptz(3) not null,
  foreign key (account_id, client_id) references consents on delete cascade
);
create index on grants (account_id, client_id);
create index on grants (expires_at);

-- What else the OpenID provider keeps: codes, refresh tokens, opaque access tokens, pending authorizations.
create table oidc_records (
  model        text not null,
  id_hash      text not null,
  payload      text not null,
  grant_id     text references grants on delete cascade,
  client_id    text references apps on delete cascade,
  user_code    text,
  consumed_at  timestamptz(3),
  expires_at   timestamptz(3) not null,
  primary key (model, id_hash)
);
create index on oidc_records (grant_id);
create index on oidc_records (client_id);
create index on oidc_records (user_code) where user_code is not null;
create index on oidc_records (expires_at);

-- Access tokens are JWTs and would live on for an hour: every process keeps what is written here in memory.
create table withdrawals (
  kind        text not null check (kind in ('grant', 'app', 'token')),
  subject     text not null,
  -- no token that it concerns lives longer
  expires_at  timestamptz(3) not null default now() + interval '65 minutes',
  primary key (kind, subject)
);
create index on withdrawals (expires_at);

insert into change_signals (topic) values ('withdrawals'), ('bans');

create trigger signal_withdrawals after insert on withdrawals
  for each statement execute function signal_change('withdrawals');
create trigger signal_bans after update of banned_at or delete on accounts
  for each statement execute function signal_change('bans');

create function withdraw_grant() returns trigger language plpgsql as $$
begin
  insert into withdrawals (kind, subject) values ('grant', old.id)
    on conflict (kind, subject) do update set expires_at = excluded.expires_at;
  return null;
end $$;
-- An hour after its end a grant has no live token, and is only swept out.
create trigger withdraw_grant after delete on grants
  for each row when (old.expires_at > now() - interval '65 minutes') execute function withdraw_grant();

create function withdraw_app() returns trigger language plpgsql as $$
begin
  insert into withdrawals (kind, subject) values ('app', old.client_id)
    on conflict (kind, subject) do update set expires_at = excluded.expires_at;
  return null;
end $$;
create trigger withdraw_app after delete on apps
  for each row execute function withdraw_app();

-- What happened to whom, for its owner and the operator to read.
create table audit_events (
  id          bigint generated always as identity primary key,
  at          timestamptz(3) not null default now(),
  kind        text not null,
  account_id  bigint references accounts on delete set null,
  client_id   text,
  address     text,
  user_agent  text,
  details     jsonb not null default '{}'
);
create index on audit_events (account_id, id);

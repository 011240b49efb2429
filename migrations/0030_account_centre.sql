-- Pictures that readers send, encoded anew by us, under the hash of what we made. Each belongs to whoever sent it: of two
-- who send the same one each has a row.
create table uploads (
  id          bigint generated always as identity primary key,
  account_id  bigint not null references accounts on delete cascade,
  -- SHA-256 in base64url
  hash        text not null check (hash ~ '^[A-Za-z0-9_-]{43}$'),
  bytes       bytea not null check (octet_length(bytes) between 1 and 1048576),
  created_at  timestamptz(3) not null default now(),
  unique (account_id, hash)
);
create index on uploads (hash);

-- A picture is an address of the web, or the path of one that was uploaded.
alter table accounts
  drop constraint accounts_picture_check,
  add constraint accounts_picture_check check (
    picture ~ '^(https://|/uploads/[A-Za-z0-9_-]{43}\.webp$)' and char_length(picture) <= 2048
  ),
  -- An account that is to go waits a week, in which its owner can keep it.
  add column deletion_requested_at timestamptz(3);
create index on accounts (deletion_requested_at) where deletion_requested_at is not null;

-- Null: as the browser says.
alter table reader_preferences
  add column language text check (language in ('en', 'ja', 'zh-Hans')),
  add column time_zone text check (char_length(time_zone) between 1 and 64),
  add column shows_spoilers boolean not null default false;

-- Browsers in which the second factor is not asked for, for thirty days from when it was last given.
create table trusted_browsers (
  token_hash    text primary key,
  account_id    bigint not null references accounts on delete cascade,
  user_agent    text not null default '',
  address       text not null default '',
  created_at    timestamptz(3) not null default now(),
  last_used_at  timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null
);
create index on trusted_browsers (account_id);
create index on trusted_browsers (expires_at);

-- A mail about what has happened to an account leads to "this was not me".
alter table links
  drop constraint links_purpose_check,
  add constraint links_purpose_check check (purpose in ('sign_up', 'reset_password', 'change_email', 'not_me'));

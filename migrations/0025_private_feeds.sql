-- Feeds of a user's own data, whose addresses contain a secret (decision 0048).

create table private_feeds (
  account_id   bigint primary key references accounts on delete cascade,
  -- SHA-256 of the secret, in base64url.
  secret_hash  text not null unique check (secret_hash ~ '^[A-Za-z0-9_-]{43}$'),
  created_at   timestamptz(3) not null default now()
);

-- Profiles that readers show by choice, collections ordered by hand, and what can be brought back for a while.

-- What a reader shows of theirs. Without a row, and until `is_shown`, nothing.
create table public_profiles (
  account_id         bigint primary key references accounts on delete cascade,
  is_shown           boolean not null default false,
  -- its address; null: the account's id
  name               text unique check (name ~ '^[a-z](-?[a-z0-9])*$' and char_length(name) between 3 and 32),
  shows_list         boolean not null default false,
  shows_statistics   boolean not null default false,
  shows_reviews      boolean not null default false,
  shows_collections  boolean not null default false,
  -- search engines may list it
  may_be_found       boolean not null default false,
  updated_at         timestamptz(3) not null default now()
);
create index public_profiles_found on public_profiles (account_id) where is_shown and may_be_found;

-- Every name a reader has ever taken stays theirs, so that nobody else answers at an address that others know.
create table profile_names (
  -- without hyphens, and letters that look alike made one
  folded      text primary key,
  name        text not null,
  account_id  bigint not null references accounts on delete cascade,
  taken_at    timestamptz(3) not null default now()
);
create index on profile_names (account_id);

-- Null in a collection that nobody has ordered: then the last added is first.
alter table collection_items add column position integer check (position > 0);
create index on collection_items (account_id, collection_id, position, work_id);

-- A collection that was just deleted, with what was in it: it can be brought back for a while.
create table deleted_collections (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint not null,
  collection  jsonb not null,
  items       jsonb not null,
  deleted_at  timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index on deleted_collections (deleted_at);

-- Likewise a work that was just taken out of one.
create table removed_items (
  account_id     bigint not null,
  collection_id  bigint not null,
  work_id        bigint not null,
  item           jsonb not null,
  removed_at     timestamptz(3) not null default now(),
  primary key (account_id, collection_id, work_id),
  foreign key (account_id, collection_id) references collections on delete cascade
);
create index on removed_items (removed_at);

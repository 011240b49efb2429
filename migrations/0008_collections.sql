-- Readers' collections (decision 0014) and public profiles (decision 0023). As in 0007, every key has the account, and no trigger
-- writes to these tables.

create table collections (
  account_id   bigint not null references accounts on delete cascade,
  -- A collision of random ids is possible between accounts but improbable, so a plain index serves lookups by id.
  id           bigint not null default random_id(),
  name         text not null check (char_length(name) between 1 and 255),
  description  text not null default '' check (char_length(description) <= 2000),
  is_private   boolean not null default false,
  -- At most one per reader (collections_default_key).
  is_default   boolean not null default false,
  -- Updated by the statement that adds or removes items.
  item_count   integer not null default 0 check (item_count between 0 and 10000),
  created_at   timestamptz(3) not null default now(),
  -- Last change of the collection or of its items.
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index collections_of_an_id on collections (id);
create unique index collections_default_key on collections (account_id) where is_default;

create table collection_items (
  account_id     bigint not null,
  collection_id  bigint not null,
  work_id        bigint not null references works,
  -- Stays the same when the work is merged into another.
  id             bigint not null default random_id(),
  note           text not null default '' check (char_length(note) <= 2000),
  -- Null in a collection without a manual order, which lists the latest first.
  position       integer check (position > 0),
  added_at       timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  -- Effect of the last write, from which the writing statement knows whether to update the collection.
  last_put       text not null check (last_put in ('ADDED', 'CHANGED', 'UNCHANGED')),
  primary key (account_id, collection_id, work_id),
  foreign key (account_id, collection_id) references collections on delete cascade
);
create index on collection_items (account_id, collection_id, added_at, work_id);
create index on collection_items (account_id, collection_id, position, work_id);
create index on collection_items (work_id, account_id);

-- Collections and items that were deleted recently and can be restored for a while.
create table deleted_collections (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint not null,
  collection  jsonb not null,
  items       jsonb not null,
  deleted_at  timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index on deleted_collections (deleted_at);

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

-- Items that a merge of two works changed, so that undoing it restores them: those of both works and the one that was left.
create table merged_items (
  account_id     bigint not null references accounts on delete cascade,
  merge_id       bigint not null,
  collection_id  bigint not null,
  from_item      jsonb not null,
  into_item      jsonb,
  left_item      jsonb not null,
  primary key (account_id, merge_id, collection_id)
);

-- What a reader shows to everybody. Without a row, or while is_shown is false, nothing.
create table public_profiles (
  account_id         bigint primary key references accounts on delete cascade,
  is_shown           boolean not null default false,
  -- Set by a moderator; the reader cannot override it.
  is_withheld        boolean not null default false,
  -- The profile's address; null: the account's id.
  name               text unique check (name ~ '^[a-z](-?[a-z0-9])*$' and char_length(name) between 3 and 32),
  shows_list         boolean not null default false,
  shows_statistics   boolean not null default false,
  shows_reviews      boolean not null default false,
  shows_collections  boolean not null default false,
  -- True if search engines may index it.
  may_be_found       boolean not null default false,
  updated_at         timestamptz(3) not null default now()
);
create index public_profiles_found on public_profiles (account_id) where is_shown and may_be_found;

-- Every name a reader has ever used stays reserved for them, so that a known address never leads to another person.
create table profile_names (
  -- Without hyphens, with similar-looking letters made equal.
  folded      text primary key,
  name        text not null,
  account_id  bigint not null references accounts on delete cascade,
  taken_at    timestamptz(3) not null default now()
);
create index on profile_names (account_id);

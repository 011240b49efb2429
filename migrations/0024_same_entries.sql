-- Which records of different sources are of one entry, what was merged, and what readers had (decision 0022).

-- The first name of each record, folded in one piece (src/search/text/): what names are compared by.
create table record_names (
  source       text not null,
  kind         text not null,
  external_id  text not null,
  folded       text collate "C" not null,
  primary key (source, kind, external_id),
  foreign key (source, kind, external_id) references source_records (source, kind, external_id) on delete cascade
);
create index on record_names (kind, folded);

-- Two records that may be the same thing: open until somebody decides. It names records and not entries, so that a
-- decision outlives whatever is imported in whatever order, and records that are not there now.
create table matches (
  id                 bigint generated always as identity primary key,
  kind               text not null,
  source             text not null,
  external_id        text not null,
  other_source       text not null,
  other_external_id  text not null,
  rule               text not null,
  evidence           jsonb not null default '{}',
  state              text not null default 'open' check (state in ('open', 'accepted', 'rejected')),
  found_at           timestamptz(3) not null default now(),
  decided_at         timestamptz(3),
  unique (kind, source, external_id, other_source, other_external_id)
);
create index on matches (state, kind, id);
create index on matches (kind, other_source, other_external_id);

-- Entries that became one. records: those that moved, as [{source, external_id}]; entry: the row with its times that the
-- entry had, in works or in the table of its kind. What was undone stays, for the log.
create table entry_merges (
  id         bigint generated always as identity primary key,
  kind       text not null,
  from_id    bigint not null,
  into_id    bigint not null check (into_id <> from_id),
  rule       text not null,
  records    jsonb not null,
  entry      jsonb not null,
  merged_at  timestamptz(3) not null default clock_timestamp(),
  undone_at  timestamptz(3)
);
create unique index on entry_merges (kind, from_id) where undone_at is null;
create index on entry_merges (kind, into_id);

-- What a merge did to what a reader has, so that it can be undone whole: what was said of both works, what it left, and
-- which lines of the history moved.
create table merged_ratings (
  account_id   bigint not null references accounts on delete cascade,
  merge_id     bigint not null,
  from_rating  jsonb,
  into_rating  jsonb,
  left_rating  jsonb,
  history      bigint[] not null,
  -- the line of the history that tells what of the two was not kept
  note         bigint,
  primary key (account_id, merge_id)
);

-- Votes on the record of the two that was not kept.
create table merged_votes (
  account_id  bigint not null references accounts on delete cascade,
  merge_id    bigint not null,
  voter_id    bigint not null references accounts on delete cascade,
  rating_id   bigint not null,
  liked       boolean not null,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  primary key (account_id, merge_id, voter_id)
);
create index on merged_votes (voter_id);

create table merged_items (
  account_id     bigint not null references accounts on delete cascade,
  merge_id       bigint not null,
  collection_id  bigint not null,
  from_item      jsonb not null,
  into_item      jsonb,
  left_item      jsonb not null,
  primary key (account_id, merge_id, collection_id)
);

-- Whether a record holds fields that were set by hand (external_id `entry:ID`), of which an entry has any number.
create function is_local_edit(record source_records) returns boolean language sql immutable
  return record.source = 'local' and record.external_id like 'entry:%';

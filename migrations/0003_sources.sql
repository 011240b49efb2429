-- What outside sources say, and how it becomes entries of the catalog (decisions 0004 and 0022).

-- What each source says now about one thing. fields holds columns of the entry's row, only those the source knows; links holds the
-- entry's lists in order, with targets named by the source's own ids.
create table source_records (
  source       text not null,
  kind         text not null,
  external_id  text not null,
  entry_id     bigint not null,
  fields       jsonb not null,
  links        jsonb not null default '{}',
  -- MD5 of the record as the importer made it: an import compares hashes instead of documents. Null: compare the documents.
  hash         uuid,
  imported_at  timestamptz(3) not null default now(),
  primary key (source, kind, external_id)
);
create index on source_records (kind, entry_id);
-- Every import looks for mentions, and few records have any.
create index source_records_mentions on source_records (kind, source) where links ? 'mentions';

-- True for a record of fields that were edited by hand (external_id `entry:ID`); an entry can have any number of them.
create function is_local_edit(record source_records) returns boolean language sql immutable
  return record.source = 'local' and record.external_id like 'entry:%';

-- Statements that edit documents by hand need not maintain the hash: the next import compares the documents and writes what its
-- source says.
create function forget_hash() returns trigger language plpgsql as $$
begin
  new.hash := null;
  return new;
end $$;
create trigger forget_hash before update of fields, links on source_records for each row
  when (old.hash = new.hash and (old.fields <> new.fields or old.links <> new.links))
  execute function forget_hash();

-- A detail shows its ids at outside sources. New entries are noted with their own row, and a record never moves between entries.
create function note_outside_ids() returns trigger language plpgsql as $$
begin
  execute '
    insert into catalog_changes_due (resource_type, resource_id)
    select entry.resource_type, entry.resource_id
    from (select distinct kind, entry_id from touched_records) record
    join catalog_entries entry on entry.resource_type = record.kind and entry.resource_id = record.entry_id
    order by entry.resource_type, entry.resource_id
    on conflict (resource_type, resource_id, transaction_id) do nothing';
  return null;
end $$;
create trigger note_outside_ids_inserted after insert on source_records
  referencing new table as touched_records for each statement execute function note_outside_ids();
create trigger note_outside_ids_deleted after delete on source_records
  referencing old table as touched_records for each statement execute function note_outside_ids();

-- Records that their source no longer has. They stay out of source_records so that no query has to filter them; a record that
-- returns gets its old entry_id back.
create table withdrawn_records (
  source        text not null,
  kind          text not null,
  external_id   text not null,
  entry_id      bigint not null,
  fields        jsonb not null,
  links         jsonb not null,
  withdrawn_at  timestamptz(3) not null default now(),
  primary key (source, kind, external_id)
);
create index on withdrawn_records (kind, entry_id);

-- Records of two sources that mean the same thing, as one of the two states itself.
create table source_same_as (
  source             text not null,
  kind               text not null,
  external_id        text not null,
  other_source       text not null,
  other_external_id  text not null,
  primary key (source, kind, external_id, other_source, other_external_id),
  foreign key (source, kind, external_id) references source_records (source, kind, external_id) on delete cascade
);
create index on source_same_as (other_source, kind, other_external_id);

-- First name of each record, by which records of different sources are compared.
create table record_names (
  source       text not null,
  kind         text not null,
  external_id  text not null,
  folded       text collate "C" not null,
  -- As Japanese writes it: Chinese simplification merges characters of different names (叶 and 葉).
  exact        text collate "C" not null,
  -- True for a name that may be a given name or pen name alone.
  is_one_word  boolean not null,
  primary key (source, kind, external_id),
  foreign key (source, kind, external_id) references source_records (source, kind, external_id) on delete cascade
);
create index on record_names (kind, folded);

-- Pairs of records that may be the same thing, open until a person decides. They name records and not entries, so that a decision
-- holds in whatever order sources are imported, and for records that are not present now.
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

-- Merges of two entries. records lists the records that moved, as [{source, external_id}]; entry is the merged entry's row in works
-- or in the table of its kind, with its times. An undone merge stays, for the log.
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

-- Records of volumes that lost their own id when two sources' volumes were joined into one. If the novels are separated again, the
-- volumes get these ids back. A row outlives its record, as an id does.
create table joined_volumes (
  source       text not null,
  external_id  text not null,
  own_id       bigint not null,
  primary key (source, external_id)
);

-- Pictures that the Archive does not publish and Bangumi's API was asked for. Imports read this table like a file of the Archive.
create table bangumi_pictures (
  kind      text not null check (kind in ('subject', 'person', 'character')),
  id        bigint not null,
  -- Path below the folder of the image host; null if there is no picture.
  path      text,
  asked_at  timestamptz(3) not null default now(),
  primary key (kind, id)
);

-- Every import that was started. While outcome is null, the run holds an advisory lock on its id, or it was interrupted.
create table import_runs (
  id               integer primary key generated always as identity,
  source           text not null,
  -- Version of the source's mapping: another version reads the same dump differently.
  mapping_version  integer,
  -- Name of the file or folder, without its path.
  dump_name        text,
  -- Day the source itself gives its dump.
  dump_date        date,
  -- Digest of an archive, in lower-case hexadecimal.
  sha256           text,
  -- The importing process; null once it has ended.
  pid              integer,
  host             text,
  began_at         timestamptz(3) not null default now(),
  ended_at         timestamptz(3),
  outcome          text check (outcome in ('done', 'failed', 'refused')),
  -- The summary of the import.
  kinds            jsonb not null default '[]' check (jsonb_typeof(kinds) = 'array'),
  remarks          jsonb not null default '[]' check (jsonb_typeof(remarks) = 'array'),
  -- Duration of each phase, from which the next run of the source estimates its own.
  phase_seconds    jsonb not null default '{}',
  -- Why the run failed or was refused.
  error            text,
  check ((ended_at is null) = (outcome is null))
);
create index on import_runs (source, id) where outcome = 'done';

-- Checksum of the last dump imported from each source. While nothing that its records depend on changes, importing the same dump
-- again changes nothing.
create table import_checksums (
  source      text primary key,
  -- Covers the dump's tables, the program, and everything else its records depend on.
  checksum    text not null,
  -- Records by kind and remarks, as the import reported them.
  kinds       jsonb not null,
  remarks     jsonb not null,
  -- First day on which the same dump reads differently because a date in it has passed; null: never.
  until       date,
  -- True if a record depends on the catalog, and so on what any source says.
  on_catalog  boolean not null default false
);

-- Inserted and deleted records invalidate the checksum of their source, and those that depend on the catalog.
create function forget_import_checksums() returns trigger language plpgsql as $$
begin
  delete from import_checksums known
  where exists (select from written_records written where written.source = known.source)
    or (known.on_catalog and exists (select from written_records));
  return null;
end $$;
create trigger forget_checksums_inserted after insert on source_records
  referencing new table as written_records for each statement execute function forget_import_checksums();
create trigger forget_checksums_deleted after delete on source_records
  referencing old table as written_records for each statement execute function forget_import_checksums();

-- Updated records invalidate the checksum of their source only if what they say changed: a merge moves records to another entry and
-- keeps their hash. A record without a hash counts as changed.
create function forget_updated_import_checksums() returns trigger language plpgsql as $$
begin
  delete from import_checksums known
  where exists (
      select from written_records written
      where written.source = known.source
        and not exists (
          select from records_now now
          where (now.source, now.kind, now.external_id) = (written.source, written.kind, written.external_id)
            and now.hash = written.hash
        )
    )
    or (known.on_catalog and exists (select from written_records));
  return null;
end $$;
create trigger forget_checksums_updated after update on source_records
  referencing old table as written_records new table as records_now
  for each statement execute function forget_updated_import_checksums();

create function forget_all_import_checksums() returns trigger language plpgsql as $$
begin
  delete from import_checksums;
  return null;
end $$;
create trigger forget_checksums_truncated after truncate on source_records
  for each statement execute function forget_all_import_checksums();

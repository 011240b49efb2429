-- Runs of imports, and what vanished from the dumps of its source (decision 0004).

-- What a source no longer says. source_records holds what it says now, so that no other query has to ask; a record whose
-- id returns belongs to the same entry as before.
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

-- A work of which no source says anything any more. Its row in `works` stays for the records and collections of
-- readers, whose lists show it as it was last known; the catalog has no row of it.
create table withdrawn_works (
  id          bigint primary key,
  kind        text not null,
  name        text not null,
  trans_name  text,
  day         date,
  covers      jsonb not null,
  foreign key (id, kind) references works (id, kind) on delete cascade
);

-- The works that there are for those who ask for one.
create view shown_works as
  select * from works where not exists (select from withdrawn_works gone where gone.id = works.id);

-- What lists of readers show of a work, be it withdrawn.
create view known_galgames as
  select id, origin_title, trans_title, release_date, covers from galgames
  union all select id, name, trans_name, day, covers from withdrawn_works where kind = 'galgame';
create view known_light_novels as
  select id, name, name_cn, publication_date, covers from light_novels
  union all select id, name, trans_name, day, covers from withdrawn_works where kind = 'light_novel';
create view known_mangas as
  select id, name, name_cn, publication_date, covers from mangas
  union all select id, name, trans_name, day, covers from withdrawn_works where kind = 'manga';

-- A character that goes takes its voices along, which without an index are searched in the whole table each time.
create index on galgame_character_actors (character_id);

-- One row for each import that was begun. While outcome is null the run holds an advisory lock on its id, or it was
-- broken off (src/importers/runs/).
create table import_runs (
  id         integer primary key generated always as identity,
  source     text not null,
  -- The name of the file or folder, without where it lay.
  dump_name  text,
  -- The day the source itself gives its dump.
  dump_date  date,
  -- Of an archive, in lower-case hexadecimal digits.
  sha256     text,
  -- Who imports; null once it has ended.
  pid        integer,
  host       text,
  began_at   timestamptz(3) not null default now(),
  ended_at   timestamptz(3),
  outcome    text check (outcome in ('done', 'failed', 'refused')),
  -- As the summary of an import has them.
  kinds      jsonb not null default '[]' check (jsonb_typeof(kinds) = 'array'),
  remarks    jsonb not null default '[]' check (jsonb_typeof(remarks) = 'array'),
  -- How long each phase took, by which the next one of the source tells how long it will.
  phase_seconds  jsonb not null default '{}',
  -- Why it failed or was refused.
  error      text,
  check ((ended_at is null) = (outcome is null))
);
create index on import_runs (source, id) where outcome = 'done';

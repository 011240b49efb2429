-- What sources say that had no place until now (decision 0004): dates known in part, and pages of people, producers and
-- characters at other sites. The rows that are there say nothing of it until their sources are imported again.

-- 'YYYY' or 'YYYY-MM', where the day beside it is not known.
alter table light_novels add column publication_date_text text;
alter table mangas
  add column publication_date_text text,
  add column publication_end_date_text text;
alter table light_novel_volumes add column publication_date_text text;
alter table manga_volumes add column publication_date_text text;
alter table producers
  add column established_text text,
  add column external_links jsonb not null default '[]' check (jsonb_typeof(external_links) = 'array');
alter table people
  add column external_links jsonb not null default '[]' check (jsonb_typeof(external_links) = 'array');
alter table characters
  add column external_links jsonb not null default '[]' check (jsonb_typeof(external_links) = 'array');

-- What Bangumi's API was asked for, which its Archive does not publish: the place of a picture below the image host's
-- folder, null where there is none. It outlives imports, which read it as they read a file of the Archive.
create table bangumi_pictures (
  kind      text not null check (kind in ('subject', 'person', 'character')),
  id        bigint not null,
  path      text,
  asked_at  timestamptz(3) not null default now(),
  primary key (kind, id)
);

-- Which version of the mapping of its source a run used: another one reads the same dump differently.
alter table import_runs add column mapping_version integer;

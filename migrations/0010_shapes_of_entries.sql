-- What client programs read of an entry beyond §2 (decision 0002): English texts, pages at other sites, and a note beside
-- a producer's part. The rows that are there say nothing of it until their sources are imported again.

alter table galgames
  add column en_title text,
  add column en_intro text,
  add column external_links jsonb not null default '[]' check (jsonb_typeof(external_links) = 'array'),
  add column steam_apps jsonb not null default '[]' check (jsonb_typeof(steam_apps) = 'array');
alter table light_novels
  add column external_links jsonb not null default '[]' check (jsonb_typeof(external_links) = 'array');
alter table mangas
  add column external_links jsonb not null default '[]' check (jsonb_typeof(external_links) = 'array');
alter table producers add column en_intro text;
alter table characters
  add column en_name text,
  add column en_intro text;
alter table galgame_producers add column note text not null default '';

-- Two things that a detail shows stand in rows of others, so that the change feed has to hear of these too.

-- Ids at outside sources. A new entry is noted with its own row; a record never moves from one entry to another.
create function note_outside_ids() returns trigger language plpgsql as $$
begin
  insert into catalog_changes_due (resource_type, resource_id)
  select entry.resource_type, entry.resource_id
  from (select distinct kind, entry_id from touched_records) record
  join catalog_entries entry on entry.resource_type = record.kind and entry.resource_id = record.entry_id
  order by entry.resource_type, entry.resource_id
  on conflict (resource_type, resource_id, transaction_id) do nothing;
  return null;
end $$;
create trigger note_outside_ids_inserted after insert on source_records
  referencing new table as touched_records for each statement execute function note_outside_ids();
create trigger note_outside_ids_deleted after delete on source_records
  referencing old table as touched_records for each statement execute function note_outside_ids();

-- The name of a galgame's developer.
create function note_developer_names() returns trigger language plpgsql as $$
begin
  insert into catalog_changes_due (resource_type, resource_id)
  select distinct 'galgame', credit.galgame_id
  from old_rows
  join new_rows on new_rows.id = old_rows.id and new_rows.name <> old_rows.name
  join galgame_producers credit on credit.producer_id = new_rows.id and credit.role = 'DEVELOPER'
  order by credit.galgame_id
  on conflict (resource_type, resource_id, transaction_id) do nothing;
  return null;
end $$;
create trigger note_developer_names after update on producers
  referencing old table as old_rows new table as new_rows for each statement execute function note_developer_names();

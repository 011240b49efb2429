-- Triggers that read transition tables, put together each time they run, as in 0009: a kept plan is that of the first
-- statement, and one made for no rows at all compares every row of an import with every other.

create or replace function note_outside_ids() returns trigger language plpgsql as $$
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

create or replace function note_developer_names() returns trigger language plpgsql as $$
begin
  execute '
    insert into catalog_changes_due (resource_type, resource_id)
    select distinct ''galgame'', credit.galgame_id
    from old_rows
    join new_rows on new_rows.id = old_rows.id and new_rows.name <> old_rows.name
    join galgame_producers credit on credit.producer_id = new_rows.id and credit.role = ''DEVELOPER''
    order by credit.galgame_id
    on conflict (resource_type, resource_id, transaction_id) do nothing';
  return null;
end $$;

create or replace function note_volumes_of_turned_works() returns trigger language plpgsql as $$
begin
  execute '
    insert into catalog_changes_due as due (resource_type, resource_id, was_shown)
    select volume.resource_type, volume.resource_id, not turned.nsfw
    from old_rows turned
    join new_rows now_read using (id)
    cross join lateral (
      select resource_type, resource_id from volumes_of_works where work_id = turned.id
      -- looked up one by one; else all volumes are read each time
      offset 0
    ) volume
    where turned.nsfw <> now_read.nsfw
    order by volume.resource_type, volume.resource_id
    on conflict (resource_type, resource_id, transaction_id) do update
      set was_shown = greatest(due.was_shown, excluded.was_shown)
      where due.was_shown is distinct from greatest(due.was_shown, excluded.was_shown)';
  return null;
end $$;

create or replace function add_tags_of_works() returns trigger language plpgsql as $$
begin
  execute '
    insert into tags (name)
    select distinct tag.name
    from new_rows cross join tag_names(new_rows.tags) tag (name)
    where not exists (select from tags known where known.name = tag.name)
    order by tag.name
    on conflict (name) do nothing';
  return null;
end $$;

-- The change feed (decisions §6): what a follower's next GET of an entry would answer differently.
-- Writers only note which entries they touched; a job gives the numbers after they have committed (catalog/changes/), so
-- that numbers appear in the order they count in and a follower who has seen one will never be shown a smaller one.

-- Entries that were touched and have no number yet; of one transaction each is here once.
create table catalog_changes_due (
  position        bigint generated always as identity primary key,
  transaction_id  xid8 not null default pg_current_xact_id(),
  resource_type   text not null,
  resource_id     bigint not null,
  -- whether it was seen without catalog:full before; null: this change cannot tell
  was_shown       boolean,
  unique (resource_type, resource_id, transaction_id)
);

create table catalog_changes (
  id             bigint primary key,
  resource_type  text not null
                   check (resource_type in ('galgame', 'light_novel', 'manga', 'person', 'producer', 'character')),
  resource_id    bigint not null,
  kind           text not null check (kind in ('UPSERT', 'DELETE', 'MERGE')),
  merged_to_id   bigint check ((merged_to_id is not null) = (kind = 'MERGE')),
  -- who is told: those with catalog:full, those without, or both
  audience       text not null check (audience in ('everybody', 'full', 'without_full')),
  created_at     timestamptz(3) not null default now()
);
-- Whoever may not see nsfw works reads past all changes of them.
create index catalog_changes_without_full on catalog_changes (id) where audience <> 'full';

-- Every entry there is, whatever its kind.
create view catalog_entries as
  select 'person' as resource_type, id as resource_id, false as nsfw from people
  union all select 'producer', id, false from producers
  union all select 'character', id, false from characters
  union all select 'galgame', id, nsfw from galgames join works using (id)
  union all select 'light_novel', id, nsfw from light_novels join works using (id)
  union all select 'manga', id, nsfw from mangas join works using (id);

-- A follower that begins at 0 gets what was there before there was a feed.
insert into catalog_changes (id, resource_type, resource_id, kind, audience)
select
  row_number() over (
    order by
      array_position(array['person', 'producer', 'character', 'galgame', 'light_novel', 'manga'], resource_type),
      resource_id
  ),
  resource_type,
  resource_id,
  'UPSERT',
  case when nsfw then 'full' else 'everybody' end
from catalog_entries;

-- Notes the entries whose rows a statement has changed; a row that is written and reads the same is no change.
-- Arguments, as SQL: the entry's type and id, from a row `touched`; the columns that count; and whether the entry was
-- seen without catalog:full, from a row `before`. It is put together each time because a kept plan, made for a few
-- rows, would be that of an import of a million as well.
create function note_catalog_changes() returns trigger language plpgsql as $$
declare
  columns text := tg_argv[2];
  was_shown text := tg_argv[3];
  touched text := case tg_op
    when 'INSERT' then 'select null::boolean as was_shown, * from new_rows'
    when 'DELETE' then format('select %s as was_shown, * from old_rows before', was_shown)
    when 'TRUNCATE' then format('select %s as was_shown, * from %s before', was_shown, tg_relid::regclass)
    else format(
      'select %1$s as was_shown, *
       from (select %2$s from old_rows except all select %2$s from new_rows) before
       union all
       select null, * from (select %2$s from new_rows except all select %2$s from old_rows) now_read',
      was_shown, columns)
  end;
begin
  execute format(
    'insert into catalog_changes_due as due (resource_type, resource_id, was_shown)
     select %s, %s, bool_or(was_shown) from (%s) touched group by 1, 2 order by 1, 2
     on conflict (resource_type, resource_id, transaction_id) do update
       set was_shown = greatest(due.was_shown, excluded.was_shown)
       where due.was_shown is distinct from greatest(due.was_shown, excluded.was_shown)',
    tg_argv[0], tg_argv[1], touched);
  return null;
end $$;

do $$
declare
  watched record;
begin
  for watched in
    with lists (kind, names) as (
      values
        ('galgame', array['staff', 'characters', 'character_actors', 'producers', 'relations']),
        ('light_novel', array['volumes', 'people', 'producers', 'characters']),
        ('manga', array['volumes', 'people', 'producers', 'characters'])
    ),
    tables (table_name, resource_type, resource_id, columns, was_shown) as (
      values
        ('works', 'kind', 'id', 'id, kind, nsfw, tags, created_at, updated_at, revised_at', 'not before.nsfw'),
        ('merged_entries', 'kind', 'id', '*', 'null::boolean'),
        ('people', quote_literal('person'), 'id', '*', 'null::boolean'),
        ('producers', quote_literal('producer'), 'id', '*', 'null::boolean'),
        ('characters', quote_literal('character'), 'id', '*', 'null::boolean')
      union all
      -- of a row that goes alone, without its work
      select kind || 's', quote_literal(kind), 'id', '*', '(select not nsfw from works where works.id = before.id)'
      from lists
      union all
      select kind || '_' || list, quote_literal(kind), kind || '_id', '*', 'null::boolean'
      from lists cross join unnest(names) as list
    )
    select
      table_name,
      format('execute function note_catalog_changes(%L, %L, %L, %L)', resource_type, resource_id, columns, was_shown)
        as note
    from tables
  loop
    execute format(
      'create trigger note_inserted after insert on %1$I
         referencing new table as new_rows for each statement %2$s;
       create trigger note_updated after update on %1$I
         referencing old table as old_rows new table as new_rows for each statement %2$s;
       create trigger note_deleted after delete on %1$I
         referencing old table as old_rows for each statement %2$s;
       create trigger note_truncated before truncate on %1$I for each statement %2$s',
      watched.table_name, watched.note);
  end loop;
end $$;

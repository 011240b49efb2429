-- Records without a status, longer texts of collections, logos of apps, and volumes and tags in the change feed.

-- A record may have a score and no status. Every writer waits, so that what is counted below is what they find.
lock table ratings in share row exclusive mode;
alter table ratings alter column status drop not null;

-- What a record counts for: a private status nowhere, a banned reader's record not at all. One without a status is
-- counted as NONE, so that the amounts of `status` add up to the records everybody may know of; `content` is a review.
create or replace function rating_counted(rating ratings) returns jsonb language sql immutable
  return case when rating.hidden then '{}' else jsonb_strip_nulls(jsonb_build_object(
    'status', case when not rating.status_private then coalesce(rating.status, 'NONE') end,
    'content', case when rating.rate_content <> '' and not rating.status_private then 'REVIEW' end,
    'rate', rating.rate,
    'rate_character', rating.rate_character,
    'rate_illustration', rating.rate_illustration,
    'rate_pacing', rating.rate_pacing,
    'rate_plot', rating.rate_plot,
    'rate_worldview', rating.rate_worldview,
    'rate_writing', rating.rate_writing,
    'rate_scenario', rating.rate_scenario,
    'rate_direction', rating.rate_direction,
    'rate_music', rating.rate_music,
    'rate_visual', rating.rate_visual,
    'rate_system', rating.rate_system
  )) end;

-- Deltas that are pending were written without `content`, so they change nothing of this.
insert into rating_counts (work_id, field, value, amount)
select work_id, 'content', 'REVIEW', count(*)
from ratings
where rate_content <> '' and not status_private and not hidden
group by work_id;

-- As before, but a record that came or went is in the history also when it said nothing beyond the defaults: without a
-- status it may.
create or replace function record_rating() returns trigger language plpgsql as $$
declare
  blank constant jsonb := '{"rate_content": "", "is_spoiler": false, "status_private": false, "time_to_finish_minutes": 0}';
  was jsonb := blank;
  becomes jsonb := blank;
  counted_before jsonb := '{}';
  counted_now jsonb := '{}';
  rating ratings := case when tg_op = 'DELETE' then old else new end;
  changes jsonb;
begin
  if tg_op <> 'INSERT' then
    was := rating_fields(old);
    counted_before := rating_counted(old);
  end if;
  if tg_op <> 'DELETE' then
    becomes := rating_fields(new);
    counted_now := rating_counted(new);
  end if;
  if counted_before <> counted_now then
    insert into rating_deltas (work_id, kind, was, becomes)
    values (rating.work_id, rating.kind, counted_before, counted_now);
  end if;

  select jsonb_object_agg(field, jsonb_build_object('from', said_before.value, 'to', said_now.value))
  into changes
  from jsonb_each(becomes) as said_now(field, value)
  full join jsonb_each(was) as said_before(field, value) using (field)
  where coalesce(said_before.value, 'null') <> coalesce(said_now.value, 'null');
  -- Of an account that goes with all it has there is no history.
  if (changes is not null or tg_op <> 'UPDATE')
    and (tg_op <> 'DELETE' or exists (select from accounts where id = old.account_id))
  then
    insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
    values (
      rating.account_id,
      rating.work_id,
      rating.kind,
      case tg_op when 'INSERT' then 'CREATED' when 'UPDATE' then 'CHANGED' else 'DELETED' end,
      nullif(current_setting('mokuroku.client_id', true), ''),
      coalesce(changes, '{}')
    );
  end if;
  return null;
end $$;

alter table collections
  drop constraint collections_name_check,
  add constraint collections_name_check check (char_length(name) between 1 and 255),
  drop constraint collections_description_check,
  add constraint collections_description_check check (char_length(description) <= 2000);
alter table collection_items
  drop constraint collection_items_note_check,
  add constraint collection_items_note_check check (char_length(note) <= 2000);

alter table apps add column logo text check (logo ~ '^https://');

-- Tags are known by their names; the feed names them by these ids, which never change. A tag stays when no work has it
-- any more, and so does its id when it comes again.
create table tags (
  id          bigint primary key generated always as identity,
  name        text not null unique,
  created_at  timestamptz(3) not null default now()
);

alter table catalog_changes
  drop constraint catalog_changes_resource_type_check,
  add constraint catalog_changes_resource_type_check check (resource_type in (
    'galgame', 'light_novel', 'light_novel_volume', 'manga', 'manga_volume', 'person', 'producer', 'character', 'tag'
  ));

-- Everything the feed names, whatever its kind. A volume is seen by whoever sees its work.
create or replace view catalog_entries as
  select 'person' as resource_type, id as resource_id, false as nsfw from people
  union all select 'producer', id, false from producers
  union all select 'character', id, false from characters
  union all select 'galgame', id, nsfw from galgames join works using (id)
  union all select 'light_novel', id, nsfw from light_novels join works using (id)
  union all select 'manga', id, nsfw from mangas join works using (id)
  union all
  select 'light_novel_volume', volume.id, work.nsfw
  from light_novel_volumes volume join works work on work.id = volume.light_novel_id
  union all
  select 'manga_volume', volume.id, work.nsfw
  from manga_volumes volume join works work on work.id = volume.manga_id
  union all select 'tag', id, false from tags;

do $$
declare
  watched record;
begin
  for watched in
    select
      table_name,
      format('execute function note_catalog_changes(%L, %L, %L, %L)', quote_literal(resource_type), 'id', '*', was_shown)
        as note
    from (
      values
        (
          'light_novel_volumes',
          'light_novel_volume',
          '(select not nsfw from works where works.id = before.light_novel_id)'
        ),
        ('manga_volumes', 'manga_volume', '(select not nsfw from works where works.id = before.manga_id)'),
        ('tags', 'tag', 'null::boolean')
    ) tables (table_name, resource_type, was_shown)
  loop
    execute format(
      'create trigger note_alone_inserted after insert on %1$I
         referencing new table as new_rows for each statement %2$s;
       create trigger note_alone_updated after update on %1$I
         referencing old table as old_rows new table as new_rows for each statement %2$s;
       create trigger note_alone_deleted after delete on %1$I
         referencing old table as old_rows for each statement %2$s;
       create trigger note_alone_truncated before truncate on %1$I for each statement %2$s',
      watched.table_name, watched.note);
  end loop;
end $$;

create view volumes_of_works as
  select 'light_novel_volume' as resource_type, id as resource_id, light_novel_id as work_id from light_novel_volumes
  union all
  select 'manga_volume', id, manga_id from manga_volumes;

-- With their work volumes come into everybody's sight, or out of it.
create function note_volumes_of_turned_works() returns trigger language plpgsql as $$
begin
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
    where due.was_shown is distinct from greatest(due.was_shown, excluded.was_shown);
  return null;
end $$;
create trigger note_volumes after update on works
  referencing old table as old_rows new table as new_rows
  for each statement execute function note_volumes_of_turned_works();

-- The volumes go by cascade, when nothing says any more who saw their work.
create function note_volumes_of_deleted_work() returns trigger language plpgsql as $$
begin
  insert into catalog_changes_due as due (resource_type, resource_id, was_shown)
  select resource_type, resource_id, not old.nsfw from volumes_of_works where work_id = old.id
  on conflict (resource_type, resource_id, transaction_id) do update
    set was_shown = greatest(due.was_shown, excluded.was_shown)
    where due.was_shown is distinct from greatest(due.was_shown, excluded.was_shown);
  return old;
end $$;
create trigger note_volumes_of_deleted before delete on works for each row
  when (old.kind in ('light_novel', 'manga'))
  execute function note_volumes_of_deleted_work();

-- An index takes no longer names, and a name that long is none.
create function tag_names(tags jsonb) returns setof text language sql immutable
begin atomic
  select tag ->> 'name' from jsonb_array_elements(tags) tag where octet_length(tag ->> 'name') <= 1000;
end;

create function add_tags_of_works() returns trigger language plpgsql as $$
begin
  insert into tags (name)
  select distinct tag.name
  from new_rows cross join tag_names(new_rows.tags) tag (name)
  where not exists (select from tags known where known.name = tag.name)
  order by tag.name
  on conflict (name) do nothing;
  return null;
end $$;
create trigger add_tags_inserted after insert on works
  referencing new table as new_rows for each statement execute function add_tags_of_works();
create trigger add_tags_updated after update on works
  referencing new table as new_rows for each statement execute function add_tags_of_works();

-- Of what is there already followers are told as of any change: numbered behind this, in the order of commits. Tags
-- note themselves.
insert into catalog_changes_due (resource_type, resource_id)
select resource_type, resource_id from volumes_of_works order by resource_type, resource_id;
insert into tags (name)
select distinct tag.name from works cross join tag_names(works.tags) tag (name) order by tag.name;

-- Similar works, and what finds entries by ids of elsewhere (decision 0018). All of it is derived, and written by a
-- periodic task alone (src/similar/), which holds one advisory lock.

create index galgames_of_steam_apps on galgames using gin (steam_apps jsonb_path_ops) where steam_apps <> '[]';
create index mangas_of_isbn on mangas (isbn) where isbn is not null;
create index manga_volumes_of_isbn on manga_volumes (isbn) where isbn is not null;

-- A reader likes a work who gives it 7 or more in a record that everybody may know of. What these indexes have is all
-- that is looked at of readers: a private status is in none of it.
lock table ratings in share row exclusive mode;
create index likes_of_a_work on ratings (work_id, account_id) where rate >= 7 and not status_private and not hidden;
create index likes_of_a_reader on ratings (account_id, rate desc, work_id)
  where rate >= 7 and not status_private and not hidden;

create function is_like(rating ratings) returns boolean language sql immutable
  return coalesce(rating.rate >= 7, false) and not rating.status_private and not rating.hidden;

-- Who began to like a work, or ceased to; only ever added to by who writes a record, so that none waits for another.
create table like_notes (
  id          bigint generated always as identity primary key,
  account_id  bigint not null,
  work_id     bigint not null,
  liked       boolean not null
);

create function note_like() returns trigger language plpgsql as $$
declare
  was boolean := false;
  becomes boolean := false;
  rating ratings := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op <> 'INSERT' then was := is_like(old); end if;
  if tg_op <> 'DELETE' then becomes := is_like(new); end if;
  if was <> becomes then
    insert into like_notes (account_id, work_id, liked) values (rating.account_id, rating.work_id, becomes);
  end if;
  return null;
end $$;
create trigger note_like after insert or delete on ratings for each row execute function note_like();
create trigger note_like_update after update on ratings for each row
  when (
    (old.rate, old.status_private, old.hidden) is distinct from (new.rate, new.status_private, new.hidden)
  )
  execute function note_like();

-- How many readers like a work.
create table work_likes (
  work_id  bigint primary key,
  likes    bigint not null
);
insert into work_likes (work_id, likes)
select work_id, count(*) from ratings where rate >= 7 and not status_private and not hidden group by work_id;

-- What a work is compared by: ids of its tags, and a digest of these, its people, producers, characters and relations.
-- Rows have no foreign keys: of one whose work is gone the task still has to count its tags off.
create table work_profiles (
  work_id  bigint primary key,
  tags     bigint[] not null,
  digest   text not null
);
create index works_of_a_tag on work_profiles using gin (tags) with (fastupdate = off);
create table tag_counts (
  tag_id  bigint primary key,
  works   bigint not null
);

-- The works that are similar to one, best first, and why; some of each kind, nsfw and not, so that whoever asks has enough.
create table similar_works (
  work_id      bigint primary key,
  similar_ids  bigint[] not null,
  reasons      text[] not null,
  -- readers who liked it then
  likes        bigint not null,
  computed_at  timestamptz(3) not null
);
create index on similar_works (computed_at);

-- Works to compute anew. since: when what they are compared by changed, and not to be done before. spreads: so are those
-- that find it similar from then on.
create table similar_due (
  work_id  bigint primary key,
  since    timestamptz(3) not null,
  spreads  boolean not null
);
create index on similar_due (since, work_id);

-- How far the task has followed the change feed, and how many works have a profile.
create table similar_position (
  one        boolean primary key default true check (one),
  change_id  bigint not null default 0,
  works      bigint not null default 0
);
insert into similar_position default values;

-- What a work has in common with others. Voices say little: the same few speak in everything.
create view work_links as
  select galgame_id as work_id, 'person' as class, person_id as ref from galgame_staff
  union all select light_novel_id, 'person', person_id from light_novel_people
  union all select manga_id, 'person', person_id from manga_people
  union all select galgame_id, 'producer', producer_id from galgame_producers
  union all select light_novel_id, 'producer', producer_id from light_novel_producers
  union all select manga_id, 'producer', producer_id from manga_producers
  union all select galgame_id, 'character', character_id from galgame_characters
  union all select light_novel_id, 'character', character_id from light_novel_characters
  union all select manga_id, 'character', character_id from manga_characters
  union all select galgame_id, 'relation', related_galgame_id from galgame_relations;

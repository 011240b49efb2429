-- What readers record of works (§2.12, §4.3), and what is gathered from it behind their requests: nobody who writes a
-- record locks a row that another reader's request waits for.

create domain score as numeric(3, 1) check (value between 1 and 10);

-- One record a reader and work. Sub-scores are those of the work's kind; the others stay null.
create table ratings (
  id                      bigint not null generated always as identity,
  account_id              bigint not null references accounts on delete cascade,
  work_id                 bigint not null,
  kind                    text not null,
  status                  text not null default 'GOING'
                            check (status in ('GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN')),
  status_private          boolean not null default false,
  rate                    score,
  rate_character          score check (rate_character is null or kind <> 'manga'),
  rate_illustration       score check (rate_illustration is null or kind = 'light_novel'),
  rate_pacing             score check (rate_pacing is null or kind = 'light_novel'),
  rate_plot               score check (rate_plot is null or kind = 'light_novel'),
  rate_worldview          score check (rate_worldview is null or kind = 'light_novel'),
  rate_writing            score check (rate_writing is null or kind = 'light_novel'),
  rate_scenario           score check (rate_scenario is null or kind = 'galgame'),
  rate_direction          score check (rate_direction is null or kind = 'galgame'),
  rate_music              score check (rate_music is null or kind = 'galgame'),
  rate_visual             score check (rate_visual is null or kind = 'galgame'),
  rate_system             score check (rate_system is null or kind = 'galgame'),
  rate_content            text not null default '' check (char_length(rate_content) <= 5000),
  is_spoiler              boolean not null default false,
  time_to_finish_minutes  integer not null default 0 check (time_to_finish_minutes between 0 and 525600),
  -- Gathered from review_votes.
  like_count              integer not null default 0 check (like_count >= 0),
  dislike_count           integer not null default 0 check (dislike_count >= 0),
  -- The account is banned: the record is its owner's alone, and counts nowhere.
  hidden                  boolean not null default false,
  created_at              timestamptz(3) not null default now(),
  updated_at              timestamptz(3) not null default now(),
  primary key (account_id, work_id),
  unique (id),
  foreign key (work_id, kind) references works (id, kind),
  check (time_to_finish_minutes = 0 or kind <> 'manga')
);
create index ratings_of_a_reader on ratings (account_id, updated_at desc, work_id desc);
create index ratings_of_a_work on ratings (work_id);
-- Reviews: records with a text that everybody may read, in each of their orders.
create index reviews_newest on ratings (work_id, created_at desc, id desc)
  where rate_content <> '' and not status_private and not hidden;
create index reviews_top on ratings (work_id, (like_count - dislike_count) desc, id desc)
  where rate_content <> '' and not status_private and not hidden;
create index reviews_by_score on ratings (work_id, rate desc nulls last, id desc)
  where rate_content <> '' and not status_private and not hidden;

-- Every change of a record, for its owner. fields: what changed, as {"rate": {"from": 7.0, "to": 8.5}}; of a record
-- that came or went, what it said beyond the defaults. client_id: the app that did it, as far as one did.
create table rating_changes (
  id          bigint not null generated always as identity,
  account_id  bigint not null references accounts on delete cascade,
  work_id     bigint not null,
  kind        text not null,
  action      text not null check (action in ('CREATED', 'CHANGED', 'DELETED')),
  client_id   text,
  fields      jsonb not null,
  changed_at  timestamptz(3) not null default clock_timestamp(),
  primary key (account_id, id)
);
create index rating_changes_of_a_work on rating_changes (account_id, work_id, id);

-- Whether a reader likes another's review (decisions §4).
create table review_votes (
  account_id  bigint not null references accounts on delete cascade,
  rating_id   bigint not null references ratings (id) on delete cascade,
  author_id   bigint not null check (author_id <> account_id),
  liked       boolean not null,
  -- The voter is banned.
  hidden      boolean not null default false,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, rating_id)
);
create index review_votes_of_a_review on review_votes (rating_id);

-- What has changed and is not gathered yet: written beside each change, taken away by the one who gathers.
-- was, becomes: what a record counts for, as {"rate": 8.5, "status": "GOING"}.
create table rating_deltas (
  id       bigint generated always as identity primary key,
  work_id  bigint not null,
  kind     text not null,
  was      jsonb not null,
  becomes  jsonb not null
);
create table vote_deltas (
  id         bigint generated always as identity primary key,
  rating_id  bigint not null,
  likes      integer not null,
  dislikes   integer not null
);

-- How many records of a work say what of it: field `status` with public ones only, `rate` and the sub-scores with all.
create table rating_counts (
  work_id  bigint not null references works on delete cascade,
  field    text not null,
  value    text not null,
  amount   bigint not null check (amount >= 0),
  primary key (work_id, field, value)
);

-- What the answers of the catalog say of a work, and when it was last gathered: revisions are given in the order in
-- which they are committed.
create table work_ratings (
  work_id   bigint primary key references works on delete cascade,
  kind      text not null,
  rating    json not null,
  revision  bigint not null
);
create index on work_ratings (revision);
create sequence rating_revisions;

-- Scores of all works of a kind together, which the Bayesian mean leans on.
create table kind_ratings (
  kind   text primary key check (kind in ('galgame', 'light_novel', 'manga')),
  total  bigint not null default 0 check (total >= 0),
  sum    numeric not null default 0
);
insert into kind_ratings (kind) values ('galgame'), ('light_novel'), ('manga');

insert into change_signals (topic) values ('ratings');

-- What a record says, field by field as on the wire.
create function rating_fields(rating ratings) returns jsonb language sql immutable
  return to_jsonb(rating)
    - array['id', 'account_id', 'work_id', 'kind', 'like_count', 'dislike_count', 'hidden', 'created_at', 'updated_at'];

-- What it counts for: a private status nowhere, a banned reader's record not at all.
create function rating_counted(rating ratings) returns jsonb language sql immutable
  return case when rating.hidden then '{}' else jsonb_strip_nulls(jsonb_build_object(
    'status', case when not rating.status_private then rating.status end,
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

-- A change is a change of what the record says. Its time never goes back, whatever transaction began first.
create function stamp_rating() returns trigger language plpgsql as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 millisecond');
  return new;
end $$;
create trigger stamp_rating before update on ratings for each row
  when ((
    old.status, old.status_private, old.rate, old.rate_character, old.rate_illustration, old.rate_pacing, old.rate_plot,
    old.rate_worldview, old.rate_writing, old.rate_scenario, old.rate_direction, old.rate_music, old.rate_visual,
    old.rate_system, old.rate_content, old.is_spoiler, old.time_to_finish_minutes
  ) is distinct from (
    new.status, new.status_private, new.rate, new.rate_character, new.rate_illustration, new.rate_pacing, new.rate_plot,
    new.rate_worldview, new.rate_writing, new.rate_scenario, new.rate_direction, new.rate_music, new.rate_visual,
    new.rate_system, new.rate_content, new.is_spoiler, new.time_to_finish_minutes
  ))
  execute function stamp_rating();

-- Writes down what changed, for the history and for the totals. `mokuroku.client_id` is set for a transaction by who
-- writes for an app.
create function record_rating() returns trigger language plpgsql as $$
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
  if changes is not null and (tg_op <> 'DELETE' or exists (select from accounts where id = old.account_id)) then
    insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
    values (
      rating.account_id,
      rating.work_id,
      rating.kind,
      case tg_op when 'INSERT' then 'CREATED' when 'UPDATE' then 'CHANGED' else 'DELETED' end,
      nullif(current_setting('mokuroku.client_id', true), ''),
      changes
    );
  end if;
  return null;
end $$;
create trigger record_rating after insert or delete on ratings for each row execute function record_rating();
create trigger record_rating_update after update on ratings for each row
  when (old.updated_at <> new.updated_at or old.hidden <> new.hidden)
  execute function record_rating();

create function record_vote() returns trigger language plpgsql as $$
declare
  likes integer := 0;
  dislikes integer := 0;
begin
  if tg_op <> 'INSERT' and not old.hidden then
    if old.liked then likes := likes - 1; else dislikes := dislikes - 1; end if;
  end if;
  if tg_op <> 'DELETE' and not new.hidden then
    if new.liked then likes := likes + 1; else dislikes := dislikes + 1; end if;
  end if;
  if likes <> 0 or dislikes <> 0 then
    insert into vote_deltas (rating_id, likes, dislikes)
    values (case when tg_op = 'DELETE' then old.rating_id else new.rating_id end, likes, dislikes);
  end if;
  return null;
end $$;
create trigger record_vote after insert or update or delete on review_votes
  for each row execute function record_vote();

-- A ban takes what the reader has recorded out of everybody's sight, and its end brings it back. Writers of records and
-- votes hold the account's row with `for share`, so that none slips by.
-- Whoever locks several rows takes accounts first, then records by id, then votes by record and voter: no two of them wait
-- for each other in a circle. The one who gathers votes waits for nobody.
create function hide_records() returns trigger language plpgsql as $$
begin
  perform from ratings where account_id = new.id order by id for no key update;
  update ratings set hidden = new.banned_at is not null where account_id = new.id;
  perform from review_votes where account_id = new.id order by rating_id for no key update;
  update review_votes set hidden = new.banned_at is not null where account_id = new.id;
  return null;
end $$;
create trigger hide_records after update of banned_at on accounts for each row
  when ((old.banned_at is null) <> (new.banned_at is null))
  execute function hide_records();

-- The cascade from an account would lock rows as it comes upon them: two who voted on each other's reviews and leave at
-- the same time would each wait for the other.
create function lock_records() returns trigger language plpgsql as $$
begin
  perform from ratings where account_id = old.id order by id for update;
  perform from review_votes
  where account_id = old.id or rating_id in (select id from ratings where account_id = old.id)
  order by rating_id, account_id
  for update;
  return old;
end $$;
create trigger lock_records before delete on accounts for each row execute function lock_records();

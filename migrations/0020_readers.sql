-- What readers have is kept by account: each of its tables has the account in its primary key and in whatever else is
-- unique, and no trigger writes into it. What triggers did is part of the statements that write (decision 0013, 0014).

drop trigger stamp_rating on ratings;
drop trigger record_rating on ratings;
drop trigger record_rating_update on ratings;
drop trigger note_like on ratings;
drop trigger note_like_update on ratings;
drop trigger record_vote on review_votes;
drop trigger hide_records on accounts;
drop trigger lock_records on accounts;
drop trigger keep_item_count_in on collection_items;
drop trigger keep_item_count_out on collection_items;
drop trigger note_changed on collection_items;
drop trigger create_default_collection on accounts;
drop trigger keep_default_collection on collections;
drop trigger keep_is_default on collections;
drop function
  stamp_rating, record_rating, note_like, is_like, record_vote, hide_records, lock_records, keep_item_count, note_changed,
  create_default_collection, keep_default_collection;

-- What a record says: what its reader writes.
create type rating_said as (
  is_spoiler              boolean,
  rate                    score,
  rate_character          score,
  rate_illustration       score,
  rate_pacing             score,
  rate_plot               score,
  rate_worldview          score,
  rate_writing            score,
  rate_scenario           score,
  rate_direction          score,
  rate_music              score,
  rate_visual             score,
  rate_system             score,
  rate_content            text,
  status                  text,
  status_private          boolean,
  time_to_finish_minutes  integer
);

-- Votes stand with the record they are about: of its author (account_id), its work, and who voted.
alter table review_votes
  drop constraint review_votes_rating_id_fkey,
  drop constraint review_votes_pkey;
alter table review_votes rename column account_id to voter_id;
alter table review_votes rename column author_id to account_id;
alter table review_votes
  rename constraint review_votes_account_id_fkey to review_votes_voter_id_fkey;
alter table review_votes
  add column work_id bigint,
  -- What the vote was before the statement that wrote it last, which so knows what it changed; null: there was none.
  add column was_liked boolean;
update review_votes vote set work_id = rating.work_id from ratings rating where rating.id = vote.rating_id;

-- Its id is known to whoever reads it as a review. It comes from one sequence, and is looked up by an index like any other.
alter table ratings
  drop constraint ratings_id_key,
  -- What the record said before the statement that wrote it last, which so knows what it changed; null: there was none.
  add column previous rating_said,
  -- Whoever writes stamps: a program of before, which leaves that to a trigger, is refused.
  alter column updated_at drop default,
  -- An account goes after its records, whose totals have to follow (src/accounts/reader-data-queries.ts).
  drop constraint ratings_account_id_fkey,
  add constraint ratings_account_id_fkey foreign key (account_id) references accounts;
create index ratings_of_an_id on ratings (id);

alter table review_votes
  alter column work_id set not null,
  add primary key (account_id, work_id, voter_id),
  add foreign key (account_id, work_id) references ratings on delete cascade,
  drop constraint review_votes_voter_id_fkey,
  add constraint review_votes_voter_id_fkey foreign key (voter_id) references accounts;
create index review_votes_of_a_voter on review_votes (voter_id, rating_id);

-- Whose public collection it is, is found by an index like any other: 52 random bits are hardly ever drawn twice.
alter table collections drop constraint collections_id_key;
create index collections_of_an_id on collections (id);

alter table collection_items
  -- What the statement that wrote it last did, which so knows whether the collection's count and time follow.
  add column last_put text not null default 'ADDED' check (last_put in ('ADDED', 'CHANGED', 'UNCHANGED'));
alter table collection_items alter column last_put drop default;

-- A work is liked by a score of 7 or more in a record that everybody may know of: what it counts for says both.
create function is_liked(counted jsonb) returns boolean language sql immutable
  return counted ? 'status' and coalesce((counted ->> 'rate')::numeric >= 7, false);

-- Who applies deltas notes likes. Those pending were noted by a trigger when they were written: once more each way,
-- what comes first, so that no count is below zero in between.
insert into like_notes (account_id, work_id, liked)
select 0, work_id, is_liked(was)
from rating_deltas
where is_liked(was) <> is_liked(becomes)
order by is_liked(was) desc, id;

-- Of pending ones nobody knows the account; no account has the number 0.
alter table rating_deltas
  drop constraint rating_deltas_pkey,
  add column account_id bigint not null default 0,
  add primary key (id, account_id);
alter table rating_deltas alter column account_id drop default;

-- Of the author; those on a record that is gone go with it.
alter table vote_deltas
  drop constraint vote_deltas_pkey,
  add column account_id bigint;
update vote_deltas delta set account_id = rating.account_id from ratings rating where rating.id = delta.rating_id;
delete from vote_deltas where account_id is null;
alter table vote_deltas
  alter column account_id set not null,
  add primary key (id, account_id);

-- What a record says, field by field as on the wire.
create or replace function rating_fields(rating ratings) returns jsonb language sql immutable
  return to_jsonb(rating) - array[
    'id', 'account_id', 'work_id', 'kind', 'like_count', 'dislike_count', 'hidden', 'previous', 'created_at', 'updated_at'
  ];

-- What a record counts for that is not hidden: a private status nowhere.
create or replace function rating_counted(rating ratings) returns jsonb language sql immutable
  return jsonb_strip_nulls(jsonb_build_object(
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
  ));

-- The time of a change, which never goes back, whatever clock it is read from. Immutable, as what a distributed
-- database admits in an upsert has to be: a millisecond is as long in every time zone.
create function later_time(proposed timestamptz, previous timestamptz) returns timestamptz language sql immutable
  return greatest(proposed, previous + interval '1 millisecond');

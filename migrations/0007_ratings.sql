-- What readers record of works (§2.12, §4.3, decision 0013). Every table has the account in its primary key and in its other unique
-- keys, and no trigger writes to it: the statement that writes a record also writes its history and deltas. Totals are computed
-- behind the requests, so that no writer locks a row that another reader's request waits for.

create domain score as numeric(3, 1) check (value between 1 and 10);

-- The fields of a record that its reader writes.
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

-- One record per reader and work. Sub-scores that the work's kind does not have are null.
create table ratings (
  -- Public as the id of a review. Not unique in the schema: unique keys have the account.
  id                      bigint not null generated always as identity,
  -- No cascade: an account is deleted after its records, so that totals follow.
  account_id              bigint not null references accounts,
  work_id                 bigint not null,
  kind                    text not null,
  status                  text default 'GOING' check (status in ('GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN')),
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
  -- Totals of review_votes.
  like_count              integer not null default 0 check (like_count >= 0),
  dislike_count           integer not null default 0 check (dislike_count >= 0),
  -- True while the account is banned: only its owner sees the record, and it counts nowhere.
  hidden                  boolean not null default false,
  -- Fields before the last write, from which the writing statement knows what it changed; null if there was no record.
  previous                rating_said,
  created_at              timestamptz(3) not null default now(),
  -- No default: the writing statement sets it (later_time).
  updated_at              timestamptz(3) not null,
  primary key (account_id, work_id),
  foreign key (work_id, kind) references works (id, kind),
  check (time_to_finish_minutes = 0 or kind <> 'manga')
);
create index ratings_of_an_id on ratings (id);
create index ratings_of_a_reader on ratings (account_id, updated_at desc, work_id desc);
create index ratings_of_a_work on ratings (work_id);
-- Reviews are records with a text that everybody may read. One index per order.
create index reviews_newest on ratings (work_id, created_at desc, id desc)
  where rate_content <> '' and not status_private and not hidden;
create index reviews_top on ratings (work_id, (like_count - dislike_count) desc, id desc)
  where rate_content <> '' and not status_private and not hidden;
create index reviews_by_score on ratings (work_id, rate desc nulls last, id desc)
  where rate_content <> '' and not status_private and not hidden;
-- Similar works read these indexes only, so a private status never influences them.
create index likes_of_a_work on ratings (work_id, account_id) where rate >= 7 and not status_private and not hidden;
create index likes_of_a_reader on ratings (account_id, rate desc, work_id)
  where rate >= 7 and not status_private and not hidden;

-- The reader's fields of a record, named as on the wire.
create function rating_fields(rating ratings) returns jsonb language sql immutable
  return to_jsonb(rating) - array[
    'id', 'account_id', 'work_id', 'kind', 'like_count', 'dislike_count', 'hidden', 'previous', 'created_at', 'updated_at'
  ];

-- What a record that is not hidden adds to totals. A private status adds nothing. A missing status counts as NONE, so that the amounts
-- of `status` sum to the number of public records; `content` marks a review.
create function rating_counted(rating ratings) returns jsonb language sql immutable
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

-- True if a result of rating_counted is a like: a public record with a score of 7 or more.
create function is_liked(counted jsonb) returns boolean language sql immutable
  return counted ? 'status' and coalesce((counted ->> 'rate')::numeric >= 7, false);

-- Time of a change, which never goes back, whichever clock it comes from. Declared immutable because distributed databases require
-- that in an upsert; a millisecond is equally long in every time zone.
create function later_time(proposed timestamptz, previous timestamptz) returns timestamptz language sql immutable
  return greatest(proposed, previous + interval '1 millisecond');

-- Every change of a record, for its owner. fields holds what changed, as {"rate": {"from": 7.0, "to": 8.5}}; for a record that was
-- created or deleted, what it said beyond the defaults. client_id is the app that made the change, if one did.
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

-- Votes on reviews, stored by the review's author (account_id).
create table review_votes (
  account_id  bigint not null,
  work_id     bigint not null,
  voter_id    bigint not null references accounts check (account_id <> voter_id),
  rating_id   bigint not null,
  liked       boolean not null,
  -- The vote before the last write, from which the writing statement knows what it changed; null if there was none.
  was_liked   boolean,
  -- True while the voter is banned.
  hidden      boolean not null default false,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, work_id, voter_id),
  foreign key (account_id, work_id) references ratings on delete cascade
);
create index review_votes_of_a_review on review_votes (rating_id);
create index review_votes_of_a_voter on review_votes (voter_id, rating_id);

-- Changes that totals do not include yet. The statement that changes a record adds its delta, and the task that applies deltas deletes
-- it. was and becomes are results of rating_counted, as {"rate": 8.5, "status": "GOING"}.
create table rating_deltas (
  account_id  bigint not null,
  id          bigint generated always as identity,
  work_id     bigint not null,
  kind        text not null,
  was         jsonb not null,
  becomes     jsonb not null,
  primary key (id, account_id)
);

create table vote_deltas (
  -- The author of the review.
  account_id  bigint not null,
  id          bigint generated always as identity,
  rating_id   bigint not null,
  likes       integer not null,
  dislikes    integer not null,
  primary key (id, account_id)
);

-- Number of a work's records by field and value. `status` and `content` count public records only, scores count all.
create table rating_counts (
  work_id  bigint not null references works on delete cascade,
  field    text not null,
  value    text not null,
  amount   bigint not null check (amount >= 0),
  primary key (work_id, field, value)
);
-- The home page lists works by how many readers are at them now.
create index rating_counts_going on rating_counts (amount, work_id) where field = 'status' and value = 'GOING';

-- Revisions ascend in the order of commits: only one process at a time applies deltas.
create sequence rating_revisions;

-- The `rating` of a work in the catalog's answers.
create table work_ratings (
  work_id   bigint primary key references works on delete cascade,
  kind      text not null,
  rating    json not null,
  revision  bigint not null
);
create index on work_ratings (revision);

-- Readers and mean score of a work, from which listings are updated.
create table work_totals (
  work_id   bigint primary key references works on delete cascade,
  kind      text not null,
  readers   bigint not null,
  score     numeric(4, 2) not null,
  revision  bigint not null
);
create index on work_totals (revision);

-- Number and sum of all scores of a kind, the prior of the Bayesian mean.
create table kind_ratings (
  kind   text primary key check (kind in ('galgame', 'light_novel', 'manga')),
  total  bigint not null default 0 check (total >= 0),
  sum    numeric not null default 0
);
insert into kind_ratings (kind) values ('galgame'), ('light_novel'), ('manga');

-- Order of a reader's records at the time an app began to page through them.
create table rating_walks (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint not null default random_id(),
  client_id   text not null,
  -- Parameters that select the records, as JSON.
  filter      text not null,
  work_ids    bigint[] not null,
  started_at  timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index on rating_walks (account_id, client_id, filter, started_at desc);
create index on rating_walks (started_at);

-- A list from another site that a reader is importing through the pages: one file per reader with its decisions, for an hour.
create table list_imports (
  account_id    bigint primary key references accounts on delete cascade,
  -- Names this file in addresses; the next file gets another id.
  id            text not null,
  source        text not null,
  -- The upload, compressed with gzip; null once it has been imported.
  file          bytea,
  -- Works chosen by hand by row number, as {"9": 42}; null for a row to leave out.
  chosen        jsonb not null default '{}',
  -- Result of the import by outcome, and the range of the changes it made: ids after first_change, up to last_change.
  counts        jsonb,
  first_change  bigint,
  last_change   bigint,
  -- Result of undoing it.
  undone        jsonb,
  created_at    timestamptz(3) not null default clock_timestamp(),
  expires_at    timestamptz(3) not null,
  check ((file is null) = (counts is not null))
);

-- What a merge of two works (entry_merges) did to readers' data, so that undoing it restores everything.

-- The reader's records of both works, the record that was left, and the lines of the history that moved.
create table merged_ratings (
  account_id   bigint not null references accounts on delete cascade,
  merge_id     bigint not null,
  from_rating  jsonb,
  into_rating  jsonb,
  left_rating  jsonb,
  history      bigint[] not null,
  -- Line of the history that reports what was not kept.
  note         bigint,
  primary key (account_id, merge_id)
);

-- Votes on the record that was not kept.
create table merged_votes (
  account_id  bigint not null references accounts on delete cascade,
  merge_id    bigint not null,
  voter_id    bigint not null references accounts on delete cascade,
  rating_id   bigint not null,
  liked       boolean not null,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  primary key (account_id, merge_id, voter_id)
);
create index on merged_votes (voter_id);

-- 52 random bits: positive, exact in JSON, and the same on every machine without a sequence.
create function random_id() returns bigint language sql volatile
  return ('x' || right(replace(gen_random_uuid()::text, '-', ''), 13))::bit(52)::bigint + 1;

-- Id of an item that stays when its work is merged into another (decision 0014).
alter table collection_items add column id bigint not null default random_id();

-- The order of a reader's records when an app began to page through them (decision 0013).
create table rating_walks (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint not null default random_id(),
  client_id   text not null,
  -- parameters that select the records, as JSON
  filter      text not null,
  work_ids    bigint[] not null,
  started_at  timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index on rating_walks (account_id, client_id, filter, started_at desc);
create index on rating_walks (started_at);

-- 52 random bits: positive, exact in JSON, and the same on every machine without a sequence.
create function random_id() returns bigint language sql volatile
  return ('x' || right(replace(gen_random_uuid()::text, '-', ''), 13))::bit(52)::bigint + 1;

-- Id of an item that stays when its work is merged into another (decision 0014).
alter table collection_items add column id bigint not null default random_id();

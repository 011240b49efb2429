-- Lists of works that readers keep (decisions §6).

create table collections (
  account_id   bigint not null references accounts on delete cascade,
  -- 52 random bits: nobody comes upon collections, and upon readers, by counting
  id           bigint not null unique
                 default ('x' || right(replace(gen_random_uuid()::text, '-', ''), 13))::bit(52)::bigint + 1,
  name         text not null check (char_length(name) between 1 and 64),
  description  text not null default '' check (char_length(description) <= 1000),
  is_private   boolean not null default false,
  is_default   boolean not null default false,
  -- kept by keep_item_count
  item_count   integer not null default 0 constraint collections_item_count_check check (item_count between 0 and 10000),
  created_at   timestamptz(3) not null default now(),
  -- of it or of what is in it
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create unique index collections_default_key on collections (account_id) where is_default;

create table collection_items (
  account_id     bigint not null,
  collection_id  bigint not null,
  work_id        bigint not null references works,
  note           text not null default '' check (char_length(note) <= 1000),
  added_at       timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  primary key (account_id, collection_id, work_id),
  foreign key (account_id, collection_id) references collections on delete cascade
);
create index on collection_items (account_id, collection_id, added_at, work_id);
create index on collection_items (work_id, account_id);

-- The count is exact under races because every change waits for the collection's row, and so is the limit. Once a
-- statement: row by row, ten thousand items cost seconds.
create function keep_item_count() returns trigger language plpgsql as $$
begin
  update collections collection
  set item_count = item_count + changed.count * case tg_op when 'INSERT' then 1 else -1 end, updated_at = now()
  from (select account_id, collection_id, count(*) as count from changed group by account_id, collection_id) changed
  where collection.account_id = changed.account_id and collection.id = changed.collection_id;
  return null;
end $$;

create trigger keep_item_count_in after insert on collection_items
  referencing new table as changed for each statement execute function keep_item_count();
create trigger keep_item_count_out after delete on collection_items
  referencing old table as changed for each statement execute function keep_item_count();

create function note_changed() returns trigger language plpgsql as $$
begin
  update collections set updated_at = now() where account_id = new.account_id and id = new.collection_id;
  return null;
end $$;

create trigger note_changed after update on collection_items
  for each row when (old.note <> new.note) execute function note_changed();

-- Every reader has one default collection, always.
create function create_default_collection() returns trigger language plpgsql as $$
begin
  insert into collections (account_id, name, is_default) values (new.id, 'Favourites', true);
  return null;
end $$;

create trigger create_default_collection after insert on accounts
  for each row execute function create_default_collection();

insert into collections (account_id, name, is_default)
select account.id, 'Favourites', true from accounts account;

create function keep_default_collection() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    raise exception 'which collection is the default one does not change' using errcode = 'check_violation';
  end if;
  -- It goes with its reader only.
  if exists (select from accounts account where account.id = old.account_id) then
    raise exception 'the default collection is not deleted' using errcode = 'check_violation';
  end if;
  return old;
end $$;

create trigger keep_default_collection before delete on collections
  for each row when (old.is_default) execute function keep_default_collection();
create trigger keep_is_default before update of is_default on collections
  for each row when (old.is_default <> new.is_default) execute function keep_default_collection();

-- The index of names (decision 0016): under which forms the entries of all six kinds are found. What a name becomes is
-- made in one place, in the program, and no locale takes part: both databases answer the same.

-- An entry with the forms of its names. section: its kind and whether it is nsfw, as the program numbers them.
create table search_entries (
  section  smallint not null,
  id       bigint not null,
  readers  bigint not null default 0,
  -- every form without spaces, between marks: `^…$` of a title, `~…$` of another name or a reading
  names    text collate "C" not null,
  -- the words of forms that have several, each between spaces
  words    text collate "C" not null,
  -- the n-grams of the forms, as numbers that hold the section too, and the bucket: where it stands among all by readers
  grams    integer[] not null,
  primary key (section, id)
);
create index search_entries_by_gram on search_entries using gin (grams);
-- The program chooses by them which way it looks for what is frequent (pg_stats).
alter table search_entries alter column grams set statistics 1000;


-- Words of Latin letters that any name has, for queries with a slip. slips: numbers of what is left of the word's beginning
-- when a letter or two are left out; two words have one in common when they are alike. Words stay when their names go.
create table search_words (
  word   text collate "C" primary key,
  slips  integer[] not null
);
create index search_words_by_slip on search_words using gin (slips);

-- How far the index has come: `changes` the number in the change feed up to which it has followed, `rebuild` the kind (its
-- place among the kinds) and id up to which everything is written anew; without that row nothing is.
create table search_progress (
  name  text primary key check (name in ('changes', 'rebuild')),
  kind  smallint not null default 0,
  id    bigint not null default 0
);
insert into search_progress (name, id) select 'changes', coalesce(max(id), 0) from catalog_changes;
insert into search_progress (name) select 'rebuild' where exists (select from catalog_entries);

-- Entries whose readers are others now; a listing is written by whoever counts them.
create table search_readers_due (
  kind  text not null,
  id    bigint not null,
  primary key (kind, id)
);
create function note_search_readers() returns trigger language plpgsql as $$
begin
  execute '
    insert into search_readers_due (kind, id)
    select kind, id
    from (select kind, id, readers from new_rows except all select kind, id, readers from old_rows) changed
    order by kind, id
    on conflict do nothing';
  return null;
end $$;
create trigger note_search_readers after update on listings
  referencing old table as old_rows new table as new_rows
  for each statement execute function note_search_readers();

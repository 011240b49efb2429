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


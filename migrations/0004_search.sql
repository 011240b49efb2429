-- Read models of the catalog: listings, the search index, and similar works. All of them are derived data. Imports write them in
-- their own transaction. For other writes, a task follows the change feed. Every writer of one of the three holds its advisory
-- lock.

-- Listings (decision 0017).

-- Returns the form of a name for sorting and lookup: no accents, no width variants, lower-case Latin, Cyrillic and Greek letters,
-- no leading punctuation. The result is the same in every locale: collation "C" only converts the case of ASCII, so all other
-- letters are listed.
create function fold_name(name text) returns text language sql immutable parallel safe
begin atomic
  select left(coalesce(nullif(ltrim(folded, ' !"#$%&''()*+,-./:;<=>?@[\]^_`{|}~·…‥‘’“”〈〉《》「」『』【】〔〕〜～！？☆★♡♥♪♂♀†※◆◇■□●○△▲▽▼'), ''), folded), 200)
  from (
    select lower(
      translate(
        normalize(regexp_replace(normalize(name, nfkd), '[\u0300-\u036f]', '', 'g'), nfkc),
        'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ',
        'абвгдежзийклмнопрстуфхцчшщъыьэюяαβγδεζηθικλμνξοπρστυφχψω'
      ) collate "C"
    )
  ) as name_folded (folded);
end;

-- Characters of a folded name and pairs of them, for substring search.
create function name_grams(name text) returns text[] language sql immutable parallel safe
begin atomic
  select array_agg(distinct substr(name, place, length) collate "C")
  from generate_series(1, char_length(name)) place cross join generate_series(1, 2) length;
end;

-- One row per entry with all columns for sorting and filtering lists.
create table listings (
  kind          text collate "C" not null
                  check (kind in ('galgame', 'light_novel', 'manga', 'person', 'producer', 'character')),
  id            bigint not null,
  nsfw          boolean not null,
  -- Mean score of a work. 0 without scores and for all other entries.
  score         numeric(4, 2) not null default 0,
  -- Number of public ratings of a work. For other entries it is the sum over their works, without the nsfw ones.
  readers       bigint not null default 0,
  readers_full  bigint not null default 0,
  -- -infinity if unknown.
  released      date not null,
  -- Result of fold_name.
  name          text collate "C" not null,
  changed_at    timestamptz(3) not null,
  -- Filters that match the entry, each written as the initials of kind and filter followed by the value (gy2004, lp12).
  facets        text[] collate "C" not null,
  primary key (kind, id)
);
-- One index per sort order. Descending orders put the smaller id first: read backwards, -id descends too, so a row comparison
-- finds the start of a page. nsfw comes early so that callers who may not see such entries do not scan them.
create index listings_by_score on listings (kind, nsfw, score, readers_full, (-id));
create index listings_by_readers on listings (kind, nsfw, readers, (-id));
create index listings_by_readers_full on listings (kind, nsfw, readers_full, (-id));
create index listings_by_date on listings (kind, nsfw, released, (-id));
create index listings_by_name on listings (kind, nsfw, name, id);
create index listings_by_change on listings (kind, nsfw, changed_at, (-id));
-- Every search scans the whole pending list of the index, so writers keep it short (gin_pending_list_limit).
create index listings_by_facet on listings using gin (facets);

-- Number of entries per facet, separately for nsfw entries.
create table listing_facets (
  facet      text collate "C" primary key,
  everybody  bigint not null check (everybody >= 0),
  nsfw       bigint not null check (nsfw >= 0)
);

-- Number of works of all kinds per tag. name is the result of fold_name.
create table tag_listings (
  tag_id     bigint primary key references tags on delete cascade,
  name       text collate "C" not null,
  everybody  bigint not null check (everybody >= 0),
  nsfw       bigint not null check (nsfw >= 0),
  total      bigint not null generated always as (everybody + nsfw) stored,
  grams      text[] collate "C" not null generated always as (coalesce(name_grams(name), '{}')) stored
);
create index tag_listings_everybody on tag_listings (everybody, (-tag_id)) where everybody > 0;
create index tag_listings_total on tag_listings (total, (-tag_id)) where total > 0;
create index tag_listings_grams on tag_listings using gin (grams) with (gin_pending_list_limit = 256);

-- Positions up to which the listings include the change feed (`changes`) and the revisions of work_totals (`totals`).
create table listing_positions (
  name      text primary key check (name in ('changes', 'totals')),
  position  bigint not null default 0
);
insert into listing_positions (name) values ('changes'), ('totals');

-- People, producers and characters whose `readers` must be summed again.
create table listing_sums_due (
  kind  text not null,
  id    bigint not null,
  primary key (kind, id)
);

-- The search index (decision 0016): searchable forms of the names of all six kinds of entries. Only the program converts a name to
-- its forms, independent of any locale, so both database engines give the same results.

create table search_entries (
  -- Kind of the entry and whether it is nsfw, as a number defined by the program.
  section  smallint not null,
  id       bigint not null,
  readers  bigint not null default 0,
  -- All forms without spaces, between marks: `^…$` for a title, `~…$` for other names and readings.
  names    text collate "C" not null,
  -- Words of forms with several words, each between spaces.
  words    text collate "C" not null,
  -- N-grams of the forms, as numbers that also encode the section and the bucket (the entry's rank by readers).
  grams    integer[] not null,
  -- MD5 of the names from which the row was created. Null in rows older than this column.
  hash     uuid,
  primary key (section, id)
);
create index search_entries_by_gram on search_entries using gin (grams);
-- The program reads pg_stats to choose a plan for frequent n-grams.
alter table search_entries alter column grams set statistics 1000;

-- Buckets that have ever held an entry. Frequent n-grams are read bucket by bucket, skipping buckets without a row. The statement
-- that writes a bucket's first entry adds its row.
create table search_buckets (
  section  smallint not null,
  bucket   integer not null,
  primary key (section, bucket)
);

-- Latin words of all names, for queries with a typo. slips are numeric codes of the word's beginning with one or two letters
-- removed; two similar words share one. Words stay after their names are gone.
create table search_words (
  word   text collate "C" primary key,
  slips  integer[] not null
);
create index search_words_by_slip on search_words using gin (slips);

-- Progress of the index. `changes`: the last number of the change feed that the index includes, in id. `rebuild`: kind (its
-- position among the kinds) and id up to which the index has been rewritten. This row exists only during a rebuild.
create table search_progress (
  name  text primary key check (name in ('changes', 'rebuild')),
  kind  smallint not null default 0,
  id    bigint not null default 0
);
insert into search_progress (name) values ('changes');

-- Queues entries whose number of readers changed, so that the search index is updated with their listing.
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

-- Similar works (decision 0018), written by one periodic task. A rating with a score of 7 or more that is neither private nor
-- hidden is a like.

-- Users who started or stopped liking a work. Rows are only added, so that writers never wait for each other.
create table like_notes (
  id          bigint generated always as identity primary key,
  account_id  bigint not null,
  work_id     bigint not null,
  liked       boolean not null
);

-- Number of users who like a work.
create table work_likes (
  work_id  bigint primary key,
  likes    bigint not null
);

-- Features used to compare works. There is deliberately no foreign key: tags of deleted works must still be subtracted from
-- tag_counts.
create table work_profiles (
  work_id  bigint primary key,
  -- Ids of the work's tags.
  tags     bigint[] not null,
  -- Digest of its tags, people, producers, characters and relations.
  digest   text not null
);
create index works_of_a_tag on work_profiles using gin (tags) with (fastupdate = off);

create table tag_counts (
  tag_id  bigint primary key,
  works   bigint not null
);

-- Works similar to a work, best first, with the reasons. Holds enough works of each kind, nsfw and not, for every viewer.
create table similar_works (
  work_id      bigint primary key,
  similar_ids  bigint[] not null,
  reasons      text[] not null,
  -- Users who liked the work when it was computed.
  likes        bigint not null,
  computed_at  timestamptz(3) not null
);
create index on similar_works (computed_at);

-- Works to recompute.
create table similar_due (
  work_id  bigint primary key,
  -- Time when its features changed. The work is not recomputed earlier.
  since    timestamptz(3) not null,
  -- Whether the works similar to it also become due.
  spreads  boolean not null
);
create index on similar_due (since, work_id);

-- Position of the task in the change feed, and the number of works with a profile.
create table similar_position (
  one        boolean primary key default true check (one),
  change_id  bigint not null default 0,
  works      bigint not null default 0
);
insert into similar_position default values;

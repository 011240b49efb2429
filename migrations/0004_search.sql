-- Read models of the catalog: lists, the index of names, and similar works. All of them are derived. Imports write them in their own
-- transaction; for other writes a task follows the change feed. Whoever writes one of the three holds its advisory lock.

-- Lists of entries (decision 0017).

-- Form of a name by which it is ordered and found: no accents, no width variants, lower-case Latin, Cyrillic and Greek letters, no
-- leading punctuation. The result is the same under every locale: "C" knows the case of ASCII only, and the other letters are listed.
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

-- Characters of a folded name and pairs of them, by which a part of the name is found.
create function name_grams(name text) returns text[] language sql immutable parallel safe
begin atomic
  select array_agg(distinct substr(name, place, length) collate "C")
  from generate_series(1, char_length(name)) place cross join generate_series(1, 2) length;
end;

-- One row per entry, with everything that lists are ordered and filtered by.
create table listings (
  kind          text collate "C" not null
                  check (kind in ('galgame', 'light_novel', 'manga', 'person', 'producer', 'character')),
  id            bigint not null,
  nsfw          boolean not null,
  -- Mean score of a work, 0 without scores; 0 for all other entries.
  score         numeric(4, 2) not null default 0,
  -- Public records of a work. For other entries the sum over their works; `readers` counts those that are not nsfw.
  readers       bigint not null default 0,
  readers_full  bigint not null default 0,
  -- -infinity if unknown.
  released      date not null,
  -- Result of fold_name.
  name          text collate "C" not null,
  changed_at    timestamptz(3) not null,
  -- Filters the entry matches: the initials of its kind and of the filter, then the value (gy2004, lp12).
  facets        text[] collate "C" not null,
  primary key (kind, id)
);
-- One index per order. Descending orders put the smaller id first: read backwards, -id descends as well, so a row comparison finds
-- the start of a page. nsfw comes early so that callers who may not see such entries do not read past them.
create index listings_by_score on listings (kind, nsfw, score, readers_full, (-id));
create index listings_by_readers on listings (kind, nsfw, readers, (-id));
create index listings_by_readers_full on listings (kind, nsfw, readers_full, (-id));
create index listings_by_date on listings (kind, nsfw, released, (-id));
create index listings_by_name on listings (kind, nsfw, name, id);
create index listings_by_change on listings (kind, nsfw, changed_at, (-id));
-- Every search reads the whole pending list of the index, so writers keep it short (gin_pending_list_limit).
create index listings_by_facet on listings using gin (facets);

-- Number of entries per facet: those everybody may see, and the nsfw ones.
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

-- How far the listings have followed the change feed (`changes`) and the revisions of work_totals (`totals`).
create table listing_positions (
  name      text primary key check (name in ('changes', 'totals')),
  position  bigint not null default 0
);
insert into listing_positions (name) values ('changes'), ('totals');

-- People, producers and characters whose readers must be summed again.
create table listing_sums_due (
  kind  text not null,
  id    bigint not null,
  primary key (kind, id)
);

-- The index of names (decision 0016): the forms under which entries of all six kinds are found. The program alone turns a name into
-- its forms, and no locale is involved, so both databases give the same results.

create table search_entries (
  -- The entry's kind and whether it is nsfw, as the program numbers them.
  section  smallint not null,
  id       bigint not null,
  readers  bigint not null default 0,
  -- Every form without spaces, between marks: `^…$` for a title, `~…$` for another name or a reading.
  names    text collate "C" not null,
  -- Words of the forms that have several, each between spaces.
  words    text collate "C" not null,
  -- N-grams of the forms, as numbers that also encode the section and the bucket (the entry's place among all by readers).
  grams    integer[] not null,
  -- MD5 of the names the row was made of; null: made before hashes were kept.
  hash     uuid,
  primary key (section, id)
);
create index search_entries_by_gram on search_entries using gin (grams);
-- The program reads pg_stats to choose a plan for frequent n-grams.
alter table search_entries alter column grams set statistics 1000;

-- Buckets that have held an entry. Frequent n-grams are read bucket by bucket, and buckets without a row are skipped. The statement
-- that writes a bucket's first entry adds the row.
create table search_buckets (
  section  smallint not null,
  bucket   integer not null,
  primary key (section, bucket)
);

-- Latin words of all names, for queries with a typo. slips are numbers of the word's beginning with one or two letters left out: two
-- similar words share one. Words stay when their names are gone.
create table search_words (
  word   text collate "C" primary key,
  slips  integer[] not null
);
create index search_words_by_slip on search_words using gin (slips);

-- How far the index has come. `changes`: the last number of the change feed that it followed, in id. `rebuild`: the kind (its
-- position among the kinds) and id up to which it has been rewritten; the row exists only during a rebuild.
create table search_progress (
  name  text primary key check (name in ('changes', 'rebuild')),
  kind  smallint not null default 0,
  id    bigint not null default 0
);
insert into search_progress (name) values ('changes');

-- Entries whose number of readers changed. Whoever counts readers writes their listing.
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

-- Similar works (decision 0018), written by one periodic task. A work is liked by a record with a score of 7 or more
-- that is neither private nor hidden.

-- Readers who started or stopped liking a work. Rows are only added, so that writers never wait for each other.
create table like_notes (
  id          bigint generated always as identity primary key,
  account_id  bigint not null,
  work_id     bigint not null,
  liked       boolean not null
);

-- Number of readers who like a work.
create table work_likes (
  work_id  bigint primary key,
  likes    bigint not null
);

-- Features by which works are compared. No foreign key: tags of deleted works must still be subtracted from tag_counts.
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

-- Works similar to one, best first, with the reasons; of each kind, nsfw and not, enough for every viewer.
create table similar_works (
  work_id      bigint primary key,
  similar_ids  bigint[] not null,
  reasons      text[] not null,
  -- Readers who liked the work at that time.
  likes        bigint not null,
  computed_at  timestamptz(3) not null
);
create index on similar_works (computed_at);

-- Works to compute again.
create table similar_due (
  work_id  bigint primary key,
  -- When its features changed; it is not computed earlier.
  since    timestamptz(3) not null,
  -- True if the works similar to it are then due as well.
  spreads  boolean not null
);
create index on similar_due (since, work_id);

-- How far the task has followed the change feed, and the number of works that have a profile.
create table similar_position (
  one        boolean primary key default true check (one),
  change_id  bigint not null default 0,
  works      bigint not null default 0
);
insert into similar_position default values;

-- The read model of lists (decision 0017): of every entry one row with what lists are ordered and filtered by. It is kept
-- by the import in its own transaction, and from the change feed for what others wrote (src/browse/listings/): nobody
-- else writes here, and whoever does holds one advisory lock.

-- A name as it is ordered and found: no accents, no widths, small Latin, Cyrillic and Greek letters, no marks in front.
-- The same under every locale: "C" knows the case of ASCII, and the other letters are named here.
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

create table listings (
  kind          text collate "C" not null
                  check (kind in ('galgame', 'light_novel', 'manga', 'person', 'producer', 'character')),
  id            bigint not null,
  nsfw          boolean not null,
  -- Mean of the scores of a work, 0 without any; of other entries always 0.
  score         numeric(4, 2) not null default 0,
  -- Public records of a work; of others the sum over their works, in `readers` those that are not nsfw.
  readers       bigint not null default 0,
  readers_full  bigint not null default 0,
  -- -infinity: not known
  released      date not null,
  -- by fold_name
  name          text collate "C" not null,
  changed_at    timestamptz(3) not null,
  -- What it is filtered by, each as the initials of its kind and of the filter and the value: gy2004, lp12.
  facets        text[] collate "C" not null,
  primary key (kind, id)
);
-- One for each order. Orders that fall have the smaller id first: read backwards, -id falls too, and a row comparison
-- finds where a page begins. By nsfw, so that whoever may not see such entries does not read past them.
create index listings_by_score on listings (kind, nsfw, score, readers_full, (-id));
create index listings_by_readers on listings (kind, nsfw, readers, (-id));
create index listings_by_readers_full on listings (kind, nsfw, readers_full, (-id));
create index listings_by_date on listings (kind, nsfw, released, (-id));
create index listings_by_name on listings (kind, nsfw, name, id);
create index listings_by_change on listings (kind, nsfw, changed_at, (-id));
-- Every search reads the whole list of what is not sorted in yet: who writes keeps it short (gin_pending_list_limit).
create index listings_by_facet on listings using gin (facets);

-- How many entries have a facet: those for everybody, and the nsfw ones.
create table listing_facets (
  facet      text collate "C" primary key,
  everybody  bigint not null check (everybody >= 0),
  nsfw       bigint not null check (nsfw >= 0)
);

-- Characters and pairs of them, by which a part of a folded name is found.
create function name_grams(name text) returns text[] language sql immutable parallel safe
begin atomic
  select array_agg(distinct substr(name, place, length) collate "C")
  from generate_series(1, char_length(name)) place cross join generate_series(1, 2) length;
end;

-- The same of a tag over the works of all kinds. name: by fold_name.
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

-- Readers and score of a work as the one who applies the deltas of records left them; revisions as in work_ratings, in
-- the order in which they are committed.
create table work_totals (
  work_id   bigint primary key references works on delete cascade,
  kind      text not null,
  readers   bigint not null,
  score     numeric(4, 2) not null,
  revision  bigint not null
);
create index on work_totals (revision);

insert into work_totals (work_id, kind, readers, score, revision)
select
  work.id,
  work.kind,
  counted.readers,
  coalesce(round(counted.sum / nullif(counted.total, 0), 2), 0),
  (select nextval('rating_revisions'))
from works work
join (
  select
    work_id,
    coalesce(sum(amount) filter (where field = 'status'), 0) as readers,
    coalesce(sum(amount) filter (where field = 'rate'), 0) as total,
    sum(case field when 'rate' then amount * value::numeric end) as sum
  from rating_counts
  where field in ('status', 'rate')
  group by work_id
) counted on counted.work_id = work.id;

-- How far the rows above have followed the change feed, and the revisions of work_totals.
create table listing_positions (
  name      text primary key check (name in ('changes', 'totals')),
  position  bigint not null default 0
);
insert into listing_positions (name) values ('changes'), ('totals');

-- People, producers and characters whose readers are to be summed anew.
create table listing_sums_due (
  kind  text not null,
  id    bigint not null,
  primary key (kind, id)
);

-- In which works a person, producer or character is named; more than once when in several parts.
create view credited_works as
  select 'person' as kind, person_id as id, 'galgame' as work_kind, galgame_id as work_id from galgame_staff
  union all select 'person', person_id, 'galgame', galgame_id from galgame_character_actors
  union all select 'person', person_id, 'light_novel', light_novel_id from light_novel_people
  union all select 'person', person_id, 'manga', manga_id from manga_people
  union all select 'producer', producer_id, 'galgame', galgame_id from galgame_producers
  union all select 'producer', producer_id, 'light_novel', light_novel_id from light_novel_producers
  union all select 'producer', producer_id, 'manga', manga_id from manga_producers
  union all select 'character', character_id, 'galgame', galgame_id from galgame_characters
  union all select 'character', character_id, 'light_novel', light_novel_id from light_novel_characters
  union all select 'character', character_id, 'manga', manga_id from manga_characters;

-- Lists ordered by the title that viewers see (decision 0043), and tags that are spoilers (decision 0044).

-- Tags that are spoilers, most votes first: {name, likes, level}. Level 1 is minor, 2 is major.
alter table galgames
  add column spoiler_tags jsonb not null default '[]' check (jsonb_typeof(spoiler_tags) = 'array');

-- Folded names by which lists are ordered, besides `name`, which begins with the Chinese title. Each is null where it would repeat `name`,
-- so processes of the previous version may leave it out.
alter table listings
  -- Original title.
  add column name_original text collate "C",
  -- English title, or else the one in Latin letters, or the original.
  add column name_en text collate "C",
  -- Korean title, or else as name_en.
  add column name_ko text collate "C",
  -- Title in Latin letters, or else the English one, or the original.
  add column name_romaji text collate "C";

update listings listing
set
  name_original = nullif(fold_name(named.original), listing.name),
  name_en = nullif(fold_name(coalesce(named.en, named.romaji, named.original)), listing.name),
  name_ko = nullif(fold_name(coalesce(named.ko, named.en, named.romaji, named.original)), listing.name),
  name_romaji = nullif(fold_name(coalesce(named.romaji, named.en, named.original)), listing.name)
from (
  select 'galgame' as kind, entry.id, entry.origin_title as original, coalesce(nullif(entry.trans_title, ''), entry.origin_title) as translated, nullif(entry.en_title, '') as en, nullif(entry.romaji_title, '') as romaji, nullif(entry.ko_title, '') as ko
  from galgames entry
  union all
  select 'light_novel' as kind, entry.id, entry.name as original, coalesce(nullif(entry.name_cn, ''), entry.name) as translated, nullif(entry.en_name, '') as en, nullif(entry.romaji_name, '') as romaji, nullif(entry.ko_name, '') as ko
  from light_novels entry
  union all
  select 'manga' as kind, entry.id, entry.name as original, coalesce(nullif(entry.name_cn, ''), entry.name) as translated, nullif(entry.en_name, '') as en, nullif(entry.romaji_name, '') as romaji, nullif(entry.ko_name, '') as ko
  from mangas entry
  union all
  select 'person' as kind, entry.id, entry.name as original, coalesce(nullif(entry.trans_name, ''), entry.name) as translated, null as en, nullif(latin_name(entry.name, entry.aliases), '') as romaji, null as ko
  from people entry
  union all
  select 'producer' as kind, entry.id, entry.name as original, coalesce(nullif(entry.trans_name, ''), entry.name) as translated, null as en, nullif(latin_name(entry.name, entry.aliases), '') as romaji, null as ko
  from producers entry
  union all
  select 'character' as kind, entry.id, entry.name as original, coalesce(nullif(entry.trans_name, ''), entry.name) as translated, nullif(entry.en_name, '') as en, nullif(latin_name(entry.name, entry.aliases), '') as romaji, null as ko
  from characters entry
) named
where named.kind = listing.kind
  and named.id = listing.id
  and (named.original, coalesce(named.ko, named.translated), coalesce(named.en, named.translated), coalesce(named.romaji, named.translated))
    is distinct from (named.translated, named.translated, named.translated, named.translated);

create index listings_by_name_original on listings (kind, nsfw, (coalesce(name_original, name)), id);
create index listings_by_name_en on listings (kind, nsfw, (coalesce(name_en, name)), id);
create index listings_by_name_ko on listings (kind, nsfw, (coalesce(name_ko, name)), id);
create index listings_by_name_romaji on listings (kind, nsfw, (coalesce(name_romaji, name)), id);

-- Titles in English, in Latin letters and in Korean, and the choice of which titles pages show (decision 0043).

alter table galgames
  add column romaji_title text,
  add column ko_title text;
alter table light_novels
  add column en_name text,
  add column romaji_name text,
  add column ko_name text;
alter table mangas
  add column en_name text,
  add column romaji_name text,
  add column ko_name text;

-- Withdrawn works keep the original and the Chinese title only.
create or replace view known_galgames as
  select id, origin_title, trans_title, release_date, covers, en_title, romaji_title, ko_title from galgames
  union all
  select id, name, trans_name, day, covers, null, null, null from withdrawn_works where kind = 'galgame';
create or replace view known_light_novels as
  select id, name, name_cn, publication_date, covers, en_name, romaji_name, ko_name from light_novels
  union all
  select id, name, trans_name, day, covers, null, null, null from withdrawn_works where kind = 'light_novel';
create or replace view known_mangas as
  select id, name, name_cn, publication_date, covers, en_name, romaji_name, ko_name from mangas
  union all
  select id, name, trans_name, day, covers, null, null, null from withdrawn_works where kind = 'manga';

-- Returns the first of other names that is in Latin letters, preferably a full name; null if the main name is in Latin letters.
-- Fewer than five letters are an abbreviation.
create function latin_name(name text, others jsonb) returns text language sql immutable parallel safe
begin atomic
  select other.name
  from jsonb_array_elements_text(others) with ordinality other (name, place)
  where latin_name.name ~ '[^\u0020-\u024f\u1e00-\u1eff\u2010-\u2027]'
    and other.name !~ '[^\u0020-\u024f\u1e00-\u1eff\u2010-\u2027]'
    and char_length(regexp_replace(other.name, '[^A-Za-z\u00c0-\u024f\u1e00-\u1eff]', '', 'g')) >= 5
  order by strpos(other.name, ' ') = 0, other.place
  limit 1;
end;

alter table reader_preferences
  add column title_preference text not null default 'translated'
    check (title_preference in ('translated', 'romaji', 'original'));

-- What is printed on a volume of a light novel. isbns: of every edition, digits only, that of the printed original first;
-- a volume is found by any of them.
alter table light_novel_volumes
  add column isbns           jsonb not null default '[]' check (jsonb_typeof(isbns) = 'array'),
  add column page_count      integer check (page_count > 0),
  add column price_amount    numeric(12, 2),
  add column price_currency  text;
create index on light_novel_volumes using gin (isbns jsonb_path_ops);

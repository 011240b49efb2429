-- What is printed on a volume of a light novel. isbns: of every edition, digits only, that of the printed original first;
-- a volume is found by any of them.
alter table light_novel_volumes
  add column isbns           jsonb not null default '[]' check (jsonb_typeof(isbns) = 'array'),
  add column page_count      integer check (page_count > 0),
  add column price_amount    numeric(12, 2),
  add column price_currency  text;
create index on light_novel_volumes using gin (isbns jsonb_path_ops);

-- Volumes of a novel that two sources have are one volume under one id. Here are the records of volumes that lost their own
-- id by that, so that they have it again when the novels come apart. It outlives the record, as an id does.
create table joined_volumes (
  source       text not null,
  external_id  text not null,
  own_id       bigint not null,
  primary key (source, external_id)
);

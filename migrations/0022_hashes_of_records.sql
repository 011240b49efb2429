-- What an import would write again is told by comparing hashes, not documents (src/importers/keep-records.ts).

-- MD5 of the record as the importer made it; null: kept before there were hashes.
alter table source_records add column hash uuid;

-- A dump that was imported and has changed nothing since: the same bytes need not be read again.
create table import_checksums (
  source       text primary key,
  -- of the tables, of the program, and of what else the records depend on
  checksum     text not null,
  -- what the import reported: counts of records by kind, and remarks
  kinds        jsonb not null,
  remarks      jsonb not null,
  imported_at  timestamptz(3) not null default now()
);

-- It holds as long as nobody writes records of the source: another import, a merge, a statement by hand.
create function forget_import_checksums() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from import_checksums;
  elsif exists (select from import_checksums) then
    delete from import_checksums where source in (select distinct source from written_records);
  end if;
  return null;
end $$;
create trigger forget_checksums_inserted after insert on source_records
  referencing new table as written_records for each statement execute function forget_import_checksums();
create trigger forget_checksums_updated after update on source_records
  referencing old table as written_records for each statement execute function forget_import_checksums();
create trigger forget_checksums_deleted after delete on source_records
  referencing old table as written_records for each statement execute function forget_import_checksums();
create trigger forget_checksums_truncated after truncate on source_records
  for each statement execute function forget_import_checksums();

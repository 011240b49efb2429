-- What an import would write again is told by comparing hashes, not documents (src/importers/keep-records.ts).

-- MD5 of the record as the importer made it; null: kept before there were hashes.
alter table source_records add column hash uuid;

-- Who writes documents by hand need not know of it: the next import compares them and writes what its source says.
create function forget_hash() returns trigger language plpgsql as $$
begin
  new.hash := null;
  return new;
end $$;
create trigger forget_hash before update of fields, links on source_records for each row
  when (old.hash = new.hash and (old.fields <> new.fields or old.links <> new.links))
  execute function forget_hash();

-- MD5 of the names that a row was made of; null: made before there were hashes.
alter table search_entries add column hash uuid;

-- A dump that was imported last of all: as long as nobody has written records since, reading it again changes nothing.
create table import_checksums (
  source    text primary key,
  -- of its tables, of the program, and of all else that its records depend on
  checksum  text not null,
  -- what the import has reported: records by kind, and remarks
  kinds     jsonb not null,
  remarks   jsonb not null
);

-- Whoever writes records, of whatever source: what another source says may join the entries of this one.
create function forget_import_checksums() returns trigger language plpgsql as $$
begin
  if exists (select from written_records) then
    delete from import_checksums;
  end if;
  return null;
end $$;
create trigger forget_checksums_inserted after insert on source_records
  referencing new table as written_records for each statement execute function forget_import_checksums();
create trigger forget_checksums_updated after update on source_records
  referencing old table as written_records for each statement execute function forget_import_checksums();
create trigger forget_checksums_deleted after delete on source_records
  referencing old table as written_records for each statement execute function forget_import_checksums();

create function forget_all_import_checksums() returns trigger language plpgsql as $$
begin
  delete from import_checksums;
  return null;
end $$;
create trigger forget_checksums_truncated after truncate on source_records
  for each statement execute function forget_all_import_checksums();

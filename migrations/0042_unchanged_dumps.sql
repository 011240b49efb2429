-- An unchanged dump stays known across days and beside other sources (src/importers/unchanged-dump.ts): a checksum is
-- forgotten when what its records depend on has changed, and nothing else.

delete from import_checksums;

alter table import_checksums
  -- the first day on which the same dump says something else, since a date in it has come; null: there is none
  add column until date,
  -- whether a record of it depends on what the catalog has, and so on what any source says
  add column on_catalog boolean not null default false;

-- Whoever writes what a source says. Where an entry's records are moved to another entry they say what they said.
create or replace function forget_import_checksums() returns trigger language plpgsql as $$
begin
  delete from import_checksums known
  where exists (select from written_records written where written.source = known.source)
    or (known.on_catalog and exists (select from written_records));
  return null;
end $$;

-- The hash is that of what a record says; without one nobody knows.
create function forget_updated_import_checksums() returns trigger language plpgsql as $$
begin
  delete from import_checksums known
  where exists (
      select from written_records written
      where written.source = known.source
        and not exists (
          select from records_now now
          where (now.source, now.kind, now.external_id) = (written.source, written.kind, written.external_id)
            and now.hash = written.hash
        )
    )
    or (known.on_catalog and exists (select from written_records));
  return null;
end $$;
drop trigger forget_checksums_updated on source_records;
create trigger forget_checksums_updated after update on source_records
  referencing old table as written_records new table as records_now
  for each statement execute function forget_updated_import_checksums();

-- A source's ids elsewhere were only added to: the next import compares them, and takes away those it does not tell any more.
update source_records record set hash = null
where hash is not null
  and exists (
    select from source_same_as stated
    where (stated.source, stated.kind, stated.external_id) = (record.source, record.kind, record.external_id)
  );

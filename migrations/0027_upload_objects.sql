-- Uploaded pictures may be objects in a bucket (decision 0040). A row has the bytes, or the name of an object that no other row has.
alter table uploads
  alter column bytes drop not null,
  add column object text,
  add constraint uploads_object_key unique (object),
  add constraint uploads_stored_once check ((bytes is null) <> (object is null));

-- Objects without a row: it was deleted, or it has not been inserted yet. They are deleted from the bucket when they are due.
create table stray_objects (
  name      text primary key,
  due_at    timestamptz(3) not null default now(),
  -- Started deletions. After the first, no row may use the object.
  attempts  integer not null default 0
);
create index on stray_objects (due_at);

create function discard_object() returns trigger language plpgsql as $$
begin
  if old.object is distinct from new.object then
    insert into stray_objects (name) values (old.object) on conflict do nothing;
  end if;
  return null;
end $$;

create trigger object_discarded after update or delete on uploads
  for each row when (old.object is not null) execute function discard_object();

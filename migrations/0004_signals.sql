-- How processes learn that something they keep in memory has changed: each polls this small table.
create table change_signals (
  topic     text primary key,
  revision  bigint not null default 1
);
insert into change_signals (topic) values ('apps'), ('catalog'), ('signing_keys');

create function signal_change() returns trigger language plpgsql as $$
begin
  update change_signals set revision = revision + 1 where topic = tg_argv[0];
  return null;
end $$;

-- The catalog's own writers signal once a transaction, not once a row.
create trigger signal_apps after insert or update or delete on apps
  for each statement execute function signal_change('apps');
create trigger signal_signing_keys after insert or update or delete on signing_keys
  for each statement execute function signal_change('signing_keys');

-- What this installation has settled about itself, such as whether it was started with the demo.
create table installation (
  name   text primary key,
  value  jsonb not null
);

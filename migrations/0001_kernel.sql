-- Facilities that all other files use. Each file creates the tables of one feature in their final form. Later changes are new
-- files. §n refers to a section of the specification, "decision n" to a decision record.

-- Returns 52 random bits plus 1: positive, exact as a JSON number, and generated without a sequence in any database. Ids in public
-- URLs are random, so that they cannot be enumerated to find users and their collections.
create function random_id() returns bigint language sql volatile
  return ('x' || right(replace(gen_random_uuid()::text, '-', ''), 13))::bit(52)::bigint + 1;

-- Cache invalidation: each process polls this small table to learn what has changed.
create table change_signals (
  topic     text primary key,
  revision  bigint not null default 1
);
insert into change_signals (topic)
values ('apps'), ('bans'), ('catalog'), ('ratings'), ('signing_keys'), ('takedowns'), ('withdrawals');

-- Increments the revision of the topic in the trigger argument. Writers of the catalog do not use this trigger, because they
-- signal once per transaction instead of once per row.
create function signal_change() returns trigger language plpgsql as $$
begin
  update change_signals set revision = revision + 1 where topic = tg_argv[0];
  return null;
end $$;

-- Notifies listening processes at once of changes to permissions, which must not wait for the next poll.
create function notify_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('mokuroku_changes', new.topic);
  return null;
end $$;
create trigger notify_change after update on change_signals
  for each row
  when (new.topic in ('apps', 'bans', 'signing_keys', 'withdrawals'))
  execute function notify_change();

-- Facts about this installation, such as whether it was started with the demo.
create table installation (
  name   text primary key,
  value  jsonb not null
);

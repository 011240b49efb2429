-- Facilities that every other file uses. Each file creates the tables of one room in their final form; later changes are new files.
-- §n cites a section of the specification, "decision n" a decision record.

-- 52 random bits plus 1: positive, exact as a JSON number, and generated the same way on every machine without a sequence. Ids in
-- public addresses are random, so that nobody finds readers and their collections by counting.
create function random_id() returns bigint language sql volatile
  return ('x' || right(replace(gen_random_uuid()::text, '-', ''), 13))::bit(52)::bigint + 1;

-- Tells processes that something they cache has changed: each process polls this small table.
create table change_signals (
  topic     text primary key,
  revision  bigint not null default 1
);
insert into change_signals (topic)
values ('apps'), ('bans'), ('catalog'), ('ratings'), ('signing_keys'), ('takedowns'), ('withdrawals');

-- Trigger argument: the topic. Writers of the catalog do not use this trigger: they signal once per transaction, not per row.
create function signal_change() returns trigger language plpgsql as $$
begin
  update change_signals set revision = revision + 1 where topic = tg_argv[0];
  return null;
end $$;

-- Changes to who may do what must not wait for the next poll: processes that can listen are notified at once.
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

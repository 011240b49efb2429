-- Epochs of the change feed, and the clock and windows of deletions by age (decision 0041).

-- State of the change feed.
create table feed_state (
  singleton  boolean primary key default true check (singleton),
  -- Id of the present sequence of changes; null until the service first runs. It changes when the latest changes may have been
  -- lost, because the database is a restored backup or was promoted.
  epoch      text,
  -- Database in which the epoch began (`database_origin`).
  origin     text,
  -- New changes get ids above this one, which skips those that a lost change may have had.
  id_floor   bigint not null default 0
);
insert into feed_state default values;

-- Identifies the server, its timeline and the database. The timeline changes when a standby is promoted, or an archive is
-- recovered to a point in time; the rest when a dump is loaded elsewhere. Managed servers may hide all but the database.
create function database_origin() returns text language plpgsql stable as $$
declare
  database text := (select oid from pg_database where datname = current_database());
begin
  return concat_ws(
    '/', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8), database
  );
exception when insufficient_privilege or undefined_function or feature_not_supported then
  return database;
end $$;

-- Finds superseded changes.
create index catalog_changes_of_an_entry on catalog_changes (resource_type, resource_id, id);

-- Time of the last deletions by age, and until when they are held because the clock jumped ahead.
create table deletion_clock (
  singleton    boolean primary key default true check (singleton),
  -- Null until the first deletions.
  last_run_at  timestamptz(3),
  held_until   timestamptz(3)
);
insert into deletion_clock default values;

-- Small, because rows are added in the order of time.
create index rating_changes_by_age on rating_changes using brin (changed_at);
create index on reports (decided_at) where decided_at is not null;

-- Clients that wait for changes, and webhooks of apps (decision 0053).

-- Wakes the requests that wait for the change feed, in every process. New numbers appear at most every quarter of a second.
insert into change_signals (topic) values ('feed');
create trigger signal_feed after insert on catalog_changes
  for each statement execute function signal_change('feed');
drop trigger notify_change on change_signals;
create trigger notify_change after update on change_signals
  for each row
  when (new.topic in ('apps', 'bans', 'feed', 'signing_keys', 'withdrawals'))
  execute function notify_change();

-- Transaction that made a change, so that followers of the history miss no change that was committed late. Null for older rows.
alter table rating_changes add column transaction_id xid8;
alter table rating_changes alter column transaction_id set default pg_current_xact_id();
create index rating_changes_by_transaction on rating_changes (transaction_id) where transaction_id is not null;

-- Addresses to which apps want events delivered.
create table webhook_endpoints (
  id                          bigint primary key default random_id(),
  client_id                   text not null references apps on delete cascade,
  url                         text not null check (url ~ '^https?://' and char_length(url) <= 2048),
  events                      jsonb not null check (jsonb_typeof(events) = 'array' and jsonb_array_length(events) > 0),
  -- Signs deliveries; with SECRET_KEY encrypted.
  secret                      text not null,
  -- The secret before the last rotation, which signs as well until it expires.
  previous_secret             text,
  previous_secret_expires_at  timestamptz(3),
  -- Last change of the feed that a delivery reported, and the time of that delivery.
  feed_id                     bigint not null,
  feed_at                     timestamptz(3) not null default now(),
  -- First failure since the last success.
  failing_since               timestamptz(3),
  disabled_at                 timestamptz(3),
  disabled_because            text check (disabled_because in ('owner', 'operator', 'gone', 'failing')),
  created_at                  timestamptz(3) not null default now(),
  unique (client_id, url),
  check ((disabled_at is null) = (disabled_because is null)),
  check ((previous_secret is null) = (previous_secret_expires_at is null))
);

-- Deliveries to make, and those made, with their last attempt.
create table webhook_deliveries (
  id               bigint primary key generated always as identity,
  endpoint_id      bigint not null references webhook_endpoints on delete cascade,
  -- Sent with every attempt, so that receivers recognize repetitions.
  message_id       text not null default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  event            text not null,
  data             jsonb not null,
  created_at       timestamptz(3) not null default clock_timestamp(),
  attempts         smallint not null default 0,
  -- Null once the delivery has ended. While an attempt runs, the end of its lease.
  next_attempt_at  timestamptz(3) default clock_timestamp(),
  delivered_at     timestamptz(3),
  attempted_at     timestamptz(3),
  -- Status of the last response, or why there was none.
  status           smallint,
  error            text check (char_length(error) <= 500),
  duration_ms      integer,
  check (delivered_at is null or next_attempt_at is null)
);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where next_attempt_at is not null;
create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, event) where next_attempt_at is not null;
create index webhook_deliveries_of_an_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- Snapshot up to which changes of ratings have become deliveries. Null while no endpoint wants them.
create table webhook_position (
  is_only   boolean primary key default true check (is_only),
  snapshot  text,
  -- Database to which the snapshot belongs.
  origin    text
);
insert into webhook_position default values;

-- Tells an app that a user has withdrawn the consent, in the transaction that does.
create function deliver_revocation() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (endpoint_id, event, data)
  select id, 'app.revoked', jsonb_build_object('sub', old.account_id::text)
  from webhook_endpoints
  where client_id = old.client_id and disabled_at is null and events ? 'app.revoked'
  -- an endpoint that is deleted with its app
  for key share skip locked;
  return null;
end $$;
create trigger deliver_revocation after delete on consents
  for each row execute function deliver_revocation();

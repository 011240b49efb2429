-- Developers manage their own apps (§4.2), and see how they are used.

alter table apps
  -- what it may use of what is possible for it; null: all of it
  add column grant_types jsonb check (jsonb_typeof(grant_types) = 'array'),
  -- by the operator; its developer cannot undo it
  add column blocked_at timestamptz(3);

-- The operator's own programs. Redirect URIs depend on where the service is and are set at the start.
insert into apps (client_id, client_name, client_type, application_type, token_endpoint_auth_method, scopes)
values
  ('mokuroku-console', 'mokuroku developer console', 'public', 'web', 'none', '["developer:apps"]'),
  ('mokuroku-command-line', 'mokuroku command line', 'public', 'native', 'none', '["developer:apps"]');

-- What an app did on a day (UTC), gathered in memory and added every few seconds.
create table app_usage (
  client_id     text not null references apps on delete cascade,
  day           date not null,
  requests      bigint not null default 0,
  rate_limited  bigint not null default 0,
  errors        bigint not null default 0,
  tokens        bigint not null default 0,
  primary key (client_id, day)
);
create index on app_usage (day);

-- What developers show of their apps and see of their use.

alter table apps
  -- of a picture in uploads; beside it there is no address of another site in logo
  add column logo_hash text check (logo_hash ~ '^[A-Za-z0-9_-]{16,128}$'),
  add column privacy_uri text check (privacy_uri ~ '^https?://' and char_length(privacy_uri) <= 2048),
  add column terms_uri text check (terms_uri ~ '^https?://' and char_length(terms_uri) <= 2048),
  -- the secret before this one, good until its end
  add column previous_secret_hash text check (previous_secret_hash ~ '^[A-Za-z0-9_-]{43}$'),
  add column previous_secret_expires_at timestamptz(3),
  add check (logo is null or logo_hash is null),
  add check ((previous_secret_hash is null) = (previous_secret_expires_at is null)),
  add check (previous_secret_hash is null or secret_hash is not null);

-- When counts were last added: a day says little of an app that is used every day.
alter table app_usage add column last_at timestamptz(3);

-- Requests by day (UTC), route and class of the answer's status (2: 200 to 299).
create table app_endpoint_usage (
  client_id     text not null references apps on delete cascade,
  day           date not null,
  -- method and template: GET /api/v3/open/galgames/{id}
  endpoint      text not null check (char_length(endpoint) <= 200),
  status_class  smallint not null check (status_class between 1 and 5),
  requests      bigint not null,
  primary key (client_id, day, endpoint, status_class)
);
create index on app_endpoint_usage (day);

-- The last requests of an app that were refused, and why, for its developer to read.
create table refused_requests (
  id          bigint generated always as identity primary key,
  client_id   text not null references apps on delete cascade,
  at          timestamptz(3) not null,
  request_id  text not null check (char_length(request_id) <= 200),
  endpoint    text not null check (char_length(endpoint) <= 200),
  status      smallint not null,
  -- the code that the app was told
  code        text not null check (char_length(code) <= 100),
  -- the rule that refused it, in words
  reason      text not null check (char_length(reason) <= 1000),
  -- names and values of what was sent, secrets left out
  sent        jsonb not null check (jsonb_typeof(sent) = 'object'),
  -- shortened to a network
  address     text
);
create index on refused_requests (client_id, id);
create index on refused_requests (at);

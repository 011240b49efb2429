-- Developer apps (§4.2, decision 0012) and the OpenID provider, through which readers allow them to act (§5, §7, decision 0003).

create table apps (
  client_id                            text primary key check (client_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- The app's developer; null for the operator's own apps.
  account_id                           bigint references accounts on delete cascade,
  client_name                          text not null check (char_length(client_name) between 1 and 64),
  client_uri                           text check (client_uri ~ '^https://'),
  -- Address of a logo at another site, or hash of an uploaded one.
  logo                                 text check (logo ~ '^https://'),
  logo_hash                            text check (logo_hash ~ '^[A-Za-z0-9_-]{16,128}$'),
  privacy_uri                          text check (privacy_uri ~ '^https?://' and char_length(privacy_uri) <= 2048),
  terms_uri                            text check (terms_uri ~ '^https?://' and char_length(terms_uri) <= 2048),
  client_type                          text not null default 'confidential'
                                         check (client_type in ('confidential', 'public')),
  application_type                     text not null default 'web' check (application_type in ('web', 'native')),
  token_endpoint_auth_method           text not null default 'client_secret_basic' check (
                                         token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none')
                                       ),
  redirect_uris                        jsonb not null default '[]' check (
                                         jsonb_typeof(redirect_uris) = 'array' and jsonb_array_length(redirect_uris) <= 5
                                       ),
  -- OpenID Connect Back-Channel Logout 1.0 §2.2
  backchannel_logout_uri               text check (
                                         backchannel_logout_uri ~ '^https?://' and char_length(backchannel_logout_uri) <= 2048
                                       ),
  backchannel_logout_session_required  boolean not null default false,
  -- Grants the app may use; null: all that are possible for it.
  grant_types                          jsonb check (jsonb_typeof(grant_types) = 'array'),
  scopes                               jsonb not null default '[]' check (jsonb_typeof(scopes) = 'array'),
  -- Scopes that readers cannot decline, because the app does not work without them.
  required_scopes                      jsonb not null default '[]' check (jsonb_typeof(required_scopes) = 'array'),
  -- SHA-256 in base64url. A secret has 256 random bits, so a slow hash would add nothing.
  secret_hash                          text check (secret_hash ~ '^[A-Za-z0-9_-]{43}$'),
  -- The secret before the last rotation, valid until it expires.
  previous_secret_hash                 text check (previous_secret_hash ~ '^[A-Za-z0-9_-]{43}$'),
  previous_secret_expires_at           timestamptz(3),
  -- Number of secret rotations. Each token names its generation; those older than the oldest one are rejected.
  secret_generation                    integer not null default 0,
  oldest_secret_generation             integer not null default 0,
  -- Until then live tokens may have scopes the app has lost, or a rejected generation, and are checked in the database.
  tokens_checked_until                 timestamptz(3),
  enabled                              boolean not null default true,
  -- Set by the operator; the developer cannot undo it.
  blocked_at                           timestamptz(3),
  -- Operator's override of the catalog's rate limit; null: the server's setting.
  requests_per_minute                  integer check (requests_per_minute > 0),
  -- SHA-256 in base64url of the form's key, so that submitting it twice creates one app. Null: created by other means.
  form_key_hash                        text check (form_key_hash ~ '^[A-Za-z0-9_-]{43}$'),
  created_at                           timestamptz(3) not null default now(),
  updated_at                           timestamptz(3) not null default now(),
  unique (account_id, form_key_hash),
  check ((client_type = 'public') = (token_endpoint_auth_method = 'none')),
  check ((client_type = 'public') = (secret_hash is null)),
  check (logo is null or logo_hash is null),
  check ((previous_secret_hash is null) = (previous_secret_expires_at is null)),
  check (previous_secret_hash is null or secret_hash is not null)
);
create index on apps (account_id);
create trigger signal_apps after insert or update or delete on apps
  for each statement execute function signal_change('apps');

-- Removing a scope or revoking a secret leaves live tokens that have more than the app: they are checked until all have expired.
create function check_tokens_of_app() returns trigger language plpgsql as $$
begin
  -- no token lives longer
  new.tokens_checked_until := now() + interval '65 minutes';
  return new;
end $$;
create trigger check_tokens_of_app before update of scopes, oldest_secret_generation on apps
  for each row
  when (not new.scopes @> old.scopes or new.oldest_secret_generation > old.oldest_secret_generation)
  execute function check_tokens_of_app();

-- The operator's own apps. Their redirect URIs depend on the service's address and are set at startup.
insert into apps (client_id, client_name, client_type, application_type, token_endpoint_auth_method, scopes, grant_types)
values
  (
    'mokuroku-console', 'mokuroku developer console', 'public', 'web', 'none', '["developer:apps"]',
    '["authorization_code", "refresh_token"]'
  ),
  ('mokuroku-command-line', 'mokuroku command line', 'public', 'native', 'none', '["developer:apps"]', null);

-- Use of an app per day (UTC). Counts are collected in memory and added every few seconds.
create table app_usage (
  client_id     text not null references apps on delete cascade,
  day           date not null,
  requests      bigint not null default 0,
  rate_limited  bigint not null default 0,
  errors        bigint not null default 0,
  tokens        bigint not null default 0,
  -- When counts were last added.
  last_at       timestamptz(3),
  primary key (client_id, day)
);
create index on app_usage (day);

create table app_endpoint_usage (
  client_id     text not null references apps on delete cascade,
  day           date not null,
  -- Method and template: GET /api/v3/open/galgames/{id}
  endpoint      text not null check (char_length(endpoint) <= 200),
  -- First digit of the answer's status.
  status_class  smallint not null check (status_class between 1 and 5),
  requests      bigint not null,
  primary key (client_id, day, endpoint, status_class)
);
create index on app_endpoint_usage (day);

-- Latest refused requests of an app and the reasons, for its developer.
create table refused_requests (
  id            bigint generated always as identity primary key,
  client_id     text not null references apps on delete cascade,
  at            timestamptz(3) not null,
  request_id    text not null check (char_length(request_id) <= 200),
  endpoint      text not null check (char_length(endpoint) <= 200),
  status        smallint not null,
  -- Error code of the answer.
  code          text not null check (char_length(code) <= 100),
  -- The rule that refused the request: in English, and as [{code, params, field}], which is null if only a library's own words say it.
  reason        text not null check (char_length(reason) <= 1000),
  coded_reason  jsonb check (jsonb_typeof(coded_reason) = 'array'),
  -- Names and values of the request's parameters, without secrets.
  sent          jsonb not null check (jsonb_typeof(sent) = 'object'),
  -- Truncated to a network.
  address       text
);
create index on refused_requests (client_id, id);
create index on refused_requests (at);

-- Keys that sign tokens: published from created_at, signing from signs_from until a younger one does, verifying until retired_at.
create table signing_keys (
  kid          text primary key,
  alg          text not null check (alg in ('ES256', 'RS256')),
  -- Private JWK as JSON; with SECRET_KEY encrypted: v1.<iv>.<ciphertext and tag>, each in base64url.
  private_jwk  text not null,
  created_at   timestamptz(3) not null default now(),
  signs_from   timestamptz(3) not null default now(),
  retired_at   timestamptz(3)
);
create trigger signal_signing_keys after insert or update or delete on signing_keys
  for each statement execute function signal_change('signing_keys');

-- What a reader allowed an app, across all devices. Revoking consent deletes the row.
create table consents (
  account_id    bigint not null references accounts on delete cascade,
  client_id     text not null references apps on delete cascade,
  scopes        jsonb not null check (jsonb_typeof(scopes) = 'array'),
  -- Requested scopes that the reader declined, so that they are not asked again each time.
  withheld      jsonb not null default '[]' check (jsonb_typeof(withheld) = 'array'),
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  last_used_at  timestamptz(3) not null default now(),
  primary key (account_id, client_id)
);
create index on consents (client_id);

-- One authorization on one device or browser. All its tokens end with it.
create table grants (
  id          text primary key,
  account_id  bigint not null,
  client_id   text not null,
  payload     text not null,
  created_at  timestamptz(3) not null default now(),
  expires_at  timestamptz(3) not null,
  foreign key (account_id, client_id) references consents on delete cascade
);
create index on grants (account_id, client_id);
create index on grants (expires_at);

-- Everything else the provider stores: codes, refresh tokens, opaque access tokens, pending authorizations.
create table oidc_records (
  model          text not null,
  id_hash        text not null,
  payload        text not null,
  grant_id       text references grants on delete cascade,
  client_id      text references apps on delete cascade,
  user_code      text,
  consumed_at    timestamptz(3),
  -- Hash of the refresh token that this one replaced. That token stays valid until one of its successors is used.
  succeeds       text,
  -- First use of a successor: from then on, using this token is a replay.
  superseded_at  timestamptz(3),
  expires_at     timestamptz(3) not null,
  primary key (model, id_hash)
);
create index on oidc_records (grant_id);
create index on oidc_records (client_id);
create index on oidc_records (user_code) where user_code is not null;
create index on oidc_records (expires_at);

-- The revocation list. Access tokens are JWTs and would stay valid for an hour, so every process holds these rows in memory.
create table withdrawals (
  kind        text not null check (kind in ('grant', 'app', 'token')),
  subject     text not null,
  -- By then every token concerned has expired.
  expires_at  timestamptz(3) not null default now() + interval '65 minutes',
  primary key (kind, subject)
);
create index on withdrawals (expires_at);
create trigger signal_withdrawals after insert on withdrawals
  for each statement execute function signal_change('withdrawals');

create function withdraw_grant() returns trigger language plpgsql as $$
begin
  insert into withdrawals (kind, subject) values ('grant', old.id)
    on conflict (kind, subject) do update set expires_at = excluded.expires_at;
  return null;
end $$;
-- A grant that expired longer ago has no valid token; it is only swept.
create trigger withdraw_grant after delete on grants
  for each row when (old.expires_at > now() - interval '65 minutes') execute function withdraw_grant();

create function withdraw_app() returns trigger language plpgsql as $$
begin
  insert into withdrawals (kind, subject) values ('app', old.client_id)
    on conflict (kind, subject) do update set expires_at = excluded.expires_at;
  return null;
end $$;
create trigger withdraw_app after delete on apps
  for each row execute function withdraw_app();

-- What relying parties and attacks asked of the OpenID provider.

-- The device grant is for who asks for it, and for programs. The console signs in by redirect alone.
update apps set grant_types = '["authorization_code", "refresh_token"]' where client_id = 'mokuroku-console';
-- Public apps without a redirect URI never had another way to tokens: they keep it, and may still get a redirect URI.
update apps
set grant_types = '["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]'
where grant_types is null
  and client_type = 'public'
  and application_type = 'web'
  and redirect_uris = '[]';

alter table apps
  -- of every rotation of the secret; tokens name theirs
  add column secret_generation integer not null default 0,
  -- tokens of older secrets are refused
  add column oldest_secret_generation integer not null default 0,
  -- until then live tokens may be wider than the app, or of a refused secret: they are looked at more closely
  add column tokens_checked_until timestamptz(3),
  -- OpenID Connect Back-Channel Logout 1.0 §2.2
  add column backchannel_logout_uri text
    check (backchannel_logout_uri ~ '^https?://' and char_length(backchannel_logout_uri) <= 2048),
  add column backchannel_logout_session_required boolean not null default false;

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

-- Processes poll change_signals; those that can listen hear at once of what must not wait for the next poll.
create function notify_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('mokuroku_changes', new.topic);
  return null;
end $$;
create trigger notify_change after update on change_signals
  for each row
  when (new.topic in ('apps', 'bans', 'signing_keys', 'withdrawals'))
  execute function notify_change();

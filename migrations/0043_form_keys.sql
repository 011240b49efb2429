-- A form of the console that is sent again makes the same app, not another one: its key, as SHA-256 in base64url. Null: the
-- app was made by other means, or before.
alter table apps
  add column form_key_hash text check (form_key_hash ~ '^[A-Za-z0-9_-]{43}$'),
  add unique (account_id, form_key_hash);

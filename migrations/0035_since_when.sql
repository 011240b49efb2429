-- "This was not me" takes away what was added since the mail that holds the link tells of, and so needs to know when.
-- Null: before this was kept.
alter table accounts add column totp_added_at timestamptz(3);
update accounts account
set totp_added_at = (
  select max(event.at)
  from audit_events event
  where event.account_id = account.id
    and event.kind = 'second_factor_added'
)
where totp_secret is not null;

alter table recovery_codes add column created_at timestamptz(3);
alter table recovery_codes alter column created_at set default now();
alter table known_devices add column created_at timestamptz(3);
alter table known_devices alter column created_at set default now();

-- Of a link that says "this was not me": when that was done which its mail tells of.
alter table links add column since timestamptz(3);
update links set since = expires_at - interval '7 days' where purpose = 'not_me';
alter table links alter column since set default now();

-- Uploaded pictures, the audit log, and what moderators decide (decision 0024).

-- Readers' pictures, re-encoded and addressed by the hash of the result. Two readers who upload the same picture have a row each.
create table uploads (
  id          bigint generated always as identity primary key,
  account_id  bigint not null references accounts on delete cascade,
  -- SHA-256 in base64url.
  hash        text not null check (hash ~ '^[A-Za-z0-9_-]{43}$'),
  bytes       bytea not null check (octet_length(bytes) between 1 and 1048576),
  created_at  timestamptz(3) not null default now(),
  unique (account_id, hash)
);
create index on uploads (hash);

-- Events of accounts and apps, for their owner and the operator.
create table audit_events (
  id          bigint generated always as identity primary key,
  at          timestamptz(3) not null default now(),
  kind        text not null,
  account_id  bigint references accounts on delete set null,
  -- Who acted, if it was not the account's owner.
  actor_id    bigint references accounts on delete set null,
  client_id   text,
  address     text,
  user_agent  text,
  details     jsonb not null default '{}'
);
create index on audit_events (account_id, id);
create index on audit_events (actor_id, id) where actor_id is not null;
create index on audit_events (client_id, id) where client_id is not null;
create index on audit_events (kind, id);
create index on audit_events (at);

-- Readers' reports. subject is the record's id for a REVIEW, the account's id for a PROFILE, and for a PICTURE its address at the
-- source or `account:ID`.
create table reports (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  kind        text not null check (kind in ('REVIEW', 'PICTURE', 'PROFILE')),
  subject     text not null check (char_length(subject) between 1 and 2000),
  -- The account it belongs to; null: a source.
  owner_id    bigint references accounts on delete cascade,
  -- Path of the page on which it was seen.
  place       text not null,
  reason      text not null,
  note        text not null check (char_length(note) <= 2000),
  state       text not null default 'OPEN' check (state in ('OPEN', 'UPHELD', 'DISMISSED')),
  created_at  timestamptz(3) not null default now(),
  decided_at  timestamptz(3),
  decided_by  bigint references accounts on delete set null,
  primary key (account_id, id)
);
create unique index reports_open_of_a_reader on reports (account_id, kind, subject) where state = 'OPEN';
create index on reports (account_id, created_at);
create index on reports (kind, subject) where state = 'OPEN';
create index on reports (id);
create index on reports (owner_id) where owner_id is not null;

-- Creates a reader's report, at most one per subject while it is open and `most` per hour. The function locks the reader's row for one
-- statement only, so a slow or dying process never makes others wait. Each statement in it sees what was committed before, including
-- by transactions it waited for.
create function keep_report(
  reporter bigint, about_kind text, about_subject text, about_owner bigint, seen_at text, why text, said text, most integer,
  out outcome text, out report reports, out seconds integer
)
language plpgsql as $$
declare
  recent bigint;
begin
  perform from accounts where id = reporter for no key update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  select * into report from reports
    where account_id = reporter and kind = about_kind and subject = about_subject and state = 'OPEN';
  if found then
    outcome := 'known';
    return;
  end if;
  select count(*), greatest(1, ceil(extract(epoch from min(created_at) + interval '1 hour' - now())))
    into recent, seconds
    from (
      select created_at from reports
      where account_id = reporter and created_at > now() - interval '1 hour'
      order by created_at desc
      limit most
    ) latest;
  if recent >= most then
    outcome := 'too_many';
    return;
  end if;
  insert into reports (account_id, kind, subject, owner_id, place, reason, note)
    values (reporter, about_kind, about_subject, about_owner, seen_at, why, said)
    returning * into report;
  outcome := 'created';
end $$;

-- What moderators have hidden. Restored takedowns stay, for the log.
create table takedowns (
  id                 bigint generated always as identity primary key,
  kind               text not null check (kind in ('REVIEW', 'PICTURE', 'PROFILE')),
  subject            text not null,
  -- The account it belongs to; null: a source.
  owner_id           bigint references accounts on delete cascade,
  place              text not null,
  reason             text not null,
  note               text not null,
  -- Previous address of an account's picture.
  previous           text,
  hidden_at          timestamptz(3) not null default now(),
  hidden_by          bigint references accounts on delete set null,
  appeal             text,
  appealed_at        timestamptz(3),
  appeal_decided_at  timestamptz(3),
  appeal_decided_by  bigint references accounts on delete set null,
  appeal_answer      text,
  restored_at        timestamptz(3),
  restored_by        bigint references accounts on delete set null
);
-- Of two moderators who hide the same thing at once, the second finds it hidden.
create unique index takedowns_of_now on takedowns (kind, subject) where restored_at is null;
create index on takedowns (owner_id, id) where owner_id is not null;
create index takedowns_appealed on takedowns (id)
  where appealed_at is not null and appeal_decided_at is null and restored_at is null;
create trigger signal_takedowns after insert or update or delete on takedowns
  for each statement execute function signal_change('takedowns');

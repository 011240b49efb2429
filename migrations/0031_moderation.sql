-- Who looks after the service: MODERATOR decides reports, ADMIN does everything the desk can (decision 0024).
alter table accounts add column role text check (role in ('MODERATOR', 'ADMIN'));
create index accounts_with_a_role on accounts (role) where role is not null;

-- Who did what an event tells of to an account, where it was not its owner.
alter table audit_events add column actor_id bigint references accounts on delete set null;
create index on audit_events (actor_id, id) where actor_id is not null;
create index on audit_events (client_id, id) where client_id is not null;
create index on audit_events (kind, id);
create index on audit_events (at);

-- What readers report. subject: of a REVIEW the id of the record; of a PICTURE the address it has at its source, or
-- `account:ID`; of a PROFILE the id of the account. place: where on our pages it was seen.
create table reports (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  kind        text not null check (kind in ('REVIEW', 'PICTURE', 'PROFILE')),
  subject     text not null check (char_length(subject) between 1 and 2000),
  -- whose it is; null: a source's
  owner_id    bigint references accounts on delete cascade,
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

-- What moderators have hidden, until it is restored; what was restored stays, for the log.
create table takedowns (
  id                 bigint generated always as identity primary key,
  kind               text not null check (kind in ('REVIEW', 'PICTURE', 'PROFILE')),
  subject            text not null,
  -- whose it is; null: a source's
  owner_id           bigint references accounts on delete cascade,
  place              text not null,
  reason             text not null,
  note               text not null,
  -- of an account's picture: its address before
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
-- Of two who hide the same thing at once the second finds it hidden.
create unique index takedowns_of_now on takedowns (kind, subject) where restored_at is null;
create index on takedowns (owner_id, id) where owner_id is not null;
create index takedowns_appealed on takedowns (id) where appealed_at is not null and appeal_decided_at is null and restored_at is null;

-- When it was given up; null: it waits.
alter table mails add column failed_at timestamptz(3);

-- Hidden by a moderator, whatever its reader chooses.
alter table public_profiles add column is_withheld boolean not null default false;

insert into change_signals (topic) values ('takedowns');
create trigger signal_takedowns after insert or update or delete on takedowns
  for each statement execute function signal_change('takedowns');

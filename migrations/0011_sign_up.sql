-- Who may create an account (decision 0032).

-- A code admits as many accounts as it has uses. Only its SHA-256 is stored.
create table invitations (
  id          bigint generated always as identity primary key,
  code_hash   text not null unique check (code_hash ~ '^[A-Za-z0-9_-]{43}$'),
  -- For the administrators; never shown to the invited.
  note        text not null default '' check (char_length(note) <= 200),
  uses        integer not null check (uses between 1 and 10000),
  -- Accounts created so far, including those deleted since.
  used        integer not null default 0 check (used between 0 and uses),
  -- Null if it was created with the command, or its creator's account is gone.
  created_by  bigint references accounts on delete set null,
  created_at  timestamptz(3) not null default now(),
  expires_at  timestamptz(3) not null,
  revoked_at  timestamptz(3)
);
create index on invitations (created_by) where created_by is not null;

-- The invitation of a sign-up that its link will confirm.
alter table links add column invitation_id bigint references invitations on delete set null;

alter table accounts
  add column invitation_id bigint references invitations on delete set null,
  -- Set while an account waits for approval or is declined. Such an account has no session, consent or role.
  add column approval_requested_at timestamptz(3),
  -- Language of the pages at sign-up, for mails to users who have never signed in.
  add column approval_language text check (approval_language ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?$'),
  -- A declined account is deleted a week later.
  add column declined_at timestamptz(3),
  add column decline_reason text check (char_length(decline_reason) between 1 and 1000),
  add check ((approval_requested_at is null) = (approval_language is null)),
  add check (declined_at is null or approval_requested_at is not null),
  add check ((declined_at is null) = (decline_reason is null)),
  add check (approval_requested_at is null or role is null);
create index on accounts (invitation_id) where invitation_id is not null;
create index on accounts (approval_requested_at) where approval_requested_at is not null;

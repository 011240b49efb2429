-- Sign-in through other OpenID providers (decision 0033).

-- Null for an account that was created through a provider and has no password yet.
alter table accounts alter column password_hash drop not null;

-- Identities at other providers with which an account signs in, at most one for each provider.
create table upstream_identities (
  issuer             text not null,
  -- The user at the issuer: the claim `sub` (OpenID Connect Core, section 2).
  subject            text not null check (char_length(subject) between 1 and 255),
  account_id         bigint not null references accounts on delete cascade,
  -- Address that the provider reported when the identity was connected, verified or not. Only shown to the owner.
  email              text,
  -- True if the account's address was verified only by this provider. The owner of the mailbox then removes the identity with a
  -- password reset, because the provider may have been wrong.
  vouches_for_email  boolean not null default false,
  created_at         timestamptz(3) not null default now(),
  last_used_at       timestamptz(3) not null default now(),
  primary key (issuer, subject),
  unique (account_id, issuer)
);

-- Sign-ins at a provider that are not finished. Each is valid once, in the browser that began it.
create table upstream_flows (
  -- Hash of the `state` while the user is at the provider, and of a token in our own links afterwards.
  token_hash    text primary key,
  provider      text not null,
  -- Hash of a cookie of the browser.
  browser_hash  text not null,
  -- Account and session that connect an identity; null for a sign-in.
  account_id    bigint references accounts on delete cascade,
  session_uid   text,
  -- The pending sign-in at an app that continues after this.
  interaction   text,
  -- The invitation of a sign-up that began with its link.
  invitation_id bigint references invitations on delete set null,
  -- True if the user must sign in at the provider again, although they may have a session there.
  requires_sign_in  boolean not null default false,
  -- Identity that the provider returned, without an account so far; null while the user is at the provider.
  identity      jsonb,
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null,
  check ((account_id is null) = (session_uid is null)),
  check (account_id is null or identity is null)
);
create index on upstream_flows (account_id);
create index on upstream_flows (expires_at);

-- A sign-up through a provider whose address must be confirmed has an identity instead of a password.
alter table links add column identity jsonb;
alter table links drop constraint links_check1;
alter table links add constraint links_sign_up_check check (
  (purpose = 'sign_up') = (name is not null and (password_hash is not null or identity is not null))
);

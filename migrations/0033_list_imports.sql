-- The file of a list that a reader is about to take over on a page, and what was decided of it: one a reader, for an hour.
create table list_imports (
  account_id    bigint primary key references accounts on delete cascade,
  -- Names this file in addresses: the next one has another.
  id            text not null,
  source        text not null,
  -- As it was sent, packed with gzip; null once it is taken over.
  file          bytea,
  -- Works chosen by hand, as {"9": 42}: by the number of the row; null of a row that is to be left out.
  chosen        jsonb not null default '{}',
  -- What it did, by outcome, and the changes of the history that are its own: those after first_change up to last_change.
  counts        jsonb,
  first_change  bigint,
  last_change   bigint,
  -- What taking it back did.
  undone        jsonb,
  created_at    timestamptz(3) not null default clock_timestamp(),
  expires_at    timestamptz(3) not null,
  check ((file is null) = (counts is not null))
);

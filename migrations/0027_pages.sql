-- How a reader wishes to see the catalog. Without a row everything is as for guests.
create table reader_preferences (
  account_id        bigint primary key references accounts on delete cascade,
  -- Works for adults are shown to nobody who has not said that they are one.
  shows_nsfw        boolean not null default false,
  of_age_stated_at  timestamptz(3),
  check (not shows_nsfw or of_age_stated_at is not null)
);

-- Works by how many are at them now, for the home page.
create index rating_counts_going on rating_counts (amount, work_id) where field = 'status' and value = 'GOING';

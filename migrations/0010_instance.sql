-- Announcements of the operator (decision 0031). Pages show the newest one until it ends.
create table announcements (
  id          bigint generated always as identity primary key,
  -- Texts, keyed by language.
  texts       jsonb not null check (jsonb_typeof(texts) = 'object'),
  created_at  timestamptz(3) not null default now(),
  -- Null: shown until it is ended or replaced.
  ends_at     timestamptz(3)
);
insert into change_signals (topic) values ('announcements');
create trigger signal_announcements after insert or update or delete on announcements
  for each statement execute function signal_change('announcements');

-- What users keep about works for themselves: progress, dates, labels and notes (decision 0045). Nothing here is public or counts in
-- totals. The tables follow the rules for user data (decisions 0013 and 0039).

-- A year, a month or a day: YYYY, YYYY-MM or YYYY-MM-DD. A day that does not exist fails the cast.
create domain partial_date as text check (
  value ~ '^[12]\d{3}(-(0[1-9]|1[0-2])(-\d\d)?)?$' and (length(value) < 10 or value::date is not null)
);

-- One row per user and work. A row with only defaults is deleted.
create table progress (
  account_id      bigint not null,
  work_id         bigint not null,
  kind            text not null,
  started_on      partial_date,
  finished_on     partial_date,
  volumes_read    integer not null default 0 check (volumes_read between 0 and 100000),
  chapters_read   integer not null default 0 check (chapters_read between 0 and 100000),
  times_finished  integer not null default 0 check (times_finished between 0 and 10000),
  -- [{"started_on": "2020", "finished_on": null}]
  rereads         jsonb not null default '[]' check (jsonb_typeof(rereads) = 'array' and jsonb_array_length(rereads) <= 50),
  private_note    text not null default '' check (char_length(private_note) <= 10000),
  -- ["to lend"]
  labels          jsonb not null default '[]' check (jsonb_typeof(labels) = 'array' and jsonb_array_length(labels) <= 50),
  minutes         integer not null default 0 check (minutes between 0 and 10000000),
  updated_at      timestamptz(3) not null,
  primary key (account_id, work_id),
  constraint progress_account_id_fkey foreign key (account_id) references account_refs on delete cascade,
  constraint progress_work_id_kind_fkey foreign key (work_id, kind) references work_refs (id, kind),
  check (kind <> 'galgame' or (volumes_read = 0 and chapters_read = 0))
);
create index progress_of_a_work on progress (work_id);

-- What a merge of two works (entry_merges) did to users' progress, so that undoing it restores everything.
create table merged_progress (
  account_id     bigint not null,
  merge_id       bigint not null,
  from_progress  jsonb not null,
  into_progress  jsonb,
  left_progress  jsonb not null,
  -- Entry of the history that reports what was not kept.
  note           bigint,
  primary key (account_id, merge_id),
  constraint merged_progress_account_id_fkey foreign key (account_id) references account_refs on delete cascade
);

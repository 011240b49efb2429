-- User data that can be sharded by account (decision 0039). Its tables refer to two narrow tables without triggers, of which a
-- distributed database keeps a copy on every machine. Statements that write `accounts` or `works` write these in the same transaction.

-- Blocks new accounts and works until all have a row below. Reading continues.
lock table accounts, works, withdrawn_works in share row exclusive mode;

create table account_refs (
  id      bigint primary key,
  -- True while the account is banned or its deletion is scheduled. Its ratings and votes then count nowhere.
  hidden  boolean not null default false
);
insert into account_refs (id, hidden)
  select id, banned_at is not null or deletion_requested_at is not null from accounts;

create table work_refs (
  id         bigint primary key,
  kind       text not null,
  -- True if no source has the work any more. Only users who have already rated or collected it may still do so.
  withdrawn  boolean not null default false,
  unique (id, kind)
);
insert into work_refs (id, kind, withdrawn)
  select id, kind, exists (select from withdrawn_works gone where gone.id = works.id) from works;

-- Not validated here: a scan would keep the tables locked. The program validates them after the migration, without blocking writes.
alter table account_refs
  add constraint account_refs_id_fkey foreign key (id) references accounts on delete cascade not valid;
alter table work_refs
  add constraint work_refs_id_kind_fkey foreign key (id, kind) references works (id, kind) on delete cascade not valid;
alter table collection_items
  drop constraint collection_items_work_id_fkey,
  add constraint collection_items_work_id_fkey foreign key (work_id) references work_refs not valid;
alter table collections
  drop constraint collections_account_id_fkey,
  add constraint collections_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid;
alter table deleted_collections
  drop constraint deleted_collections_account_id_fkey,
  add constraint deleted_collections_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid;
alter table list_imports
  drop constraint list_imports_account_id_fkey,
  add constraint list_imports_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid;
alter table merged_items
  drop constraint merged_items_account_id_fkey,
  add constraint merged_items_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid;
alter table merged_ratings
  drop constraint merged_ratings_account_id_fkey,
  add constraint merged_ratings_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid;
alter table merged_votes
  drop constraint merged_votes_account_id_fkey,
  drop constraint merged_votes_voter_id_fkey,
  add constraint merged_votes_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid,
  add constraint merged_votes_voter_id_fkey foreign key (voter_id) references account_refs on delete cascade not valid;
alter table rating_changes
  drop constraint rating_changes_account_id_fkey,
  add constraint rating_changes_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid;
alter table rating_walks
  drop constraint rating_walks_account_id_fkey,
  add constraint rating_walks_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid;
alter table ratings
  drop constraint ratings_account_id_fkey,
  drop constraint ratings_work_id_kind_fkey,
  add constraint ratings_account_id_fkey foreign key (account_id) references account_refs not valid,
  add constraint ratings_work_id_kind_fkey foreign key (work_id, kind) references work_refs (id, kind) not valid;
alter table reports
  drop constraint reports_account_id_fkey,
  drop constraint reports_decided_by_fkey,
  drop constraint reports_owner_id_fkey,
  add constraint reports_account_id_fkey foreign key (account_id) references account_refs on delete cascade not valid,
  add constraint reports_decided_by_fkey foreign key (decided_by) references account_refs on delete set null not valid,
  add constraint reports_owner_id_fkey foreign key (owner_id) references account_refs on delete cascade not valid;
alter table review_votes
  drop constraint review_votes_voter_id_fkey,
  add constraint review_votes_voter_id_fkey foreign key (voter_id) references account_refs not valid;

-- Every key of user data has the account.
alter table like_notes drop constraint like_notes_pkey, add primary key (account_id, id);
create index like_notes_oldest on like_notes (id);

-- Values by which a rating counts in totals, from its columns. A function that takes a row does not work on a shard, whose row
-- type is a different one.
create function rating_counted(
  status text, status_private boolean, rate_content text, rate score, rate_character score, rate_illustration score,
  rate_pacing score, rate_plot score, rate_worldview score, rate_writing score, rate_scenario score, rate_direction score,
  rate_music score, rate_visual score, rate_system score
) returns jsonb language sql immutable
  return jsonb_strip_nulls(jsonb_build_object(
    'status', case when not status_private then coalesce(status, 'NONE') end,
    'content', case when rate_content <> '' and not status_private then 'REVIEW' end,
    'rate', rate,
    'rate_character', rate_character,
    'rate_illustration', rate_illustration,
    'rate_pacing', rate_pacing,
    'rate_plot', rate_plot,
    'rate_worldview', rate_worldview,
    'rate_writing', rate_writing,
    'rate_scenario', rate_scenario,
    'rate_direction', rate_direction,
    'rate_music', rate_music,
    'rate_visual', rate_visual,
    'rate_system', rate_system
  ));

-- As before, but locks the row of `account_refs`.
create or replace function keep_report(
  reporter bigint, about_kind text, about_subject text, about_owner bigint, seen_at text, why text, said text, most integer,
  out outcome text, out report reports, out seconds integer
)
language plpgsql as $$
declare
  recent bigint;
begin
  perform from account_refs where id = reporter for no key update;
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

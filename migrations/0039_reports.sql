-- Keeps a report of a reader: one while it is open, and no more than so many an hour. The reader's row is held by one statement, which
-- ends in the database: a process that thinks, or dies, between two statements keeps no other waiting. Each statement in here sees
-- what was committed before it, also by whoever was waited for.
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

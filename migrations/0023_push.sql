-- Clients that wait for changes, and webhooks of apps (decision 0053).

-- Wakes the requests that wait for the change feed, in every process. New numbers appear at most every quarter of a second.
insert into change_signals (topic) values ('feed');
create trigger signal_feed after insert on catalog_changes
  for each statement execute function signal_change('feed');
drop trigger notify_change on change_signals;
create trigger notify_change after update on change_signals
  for each row
  when (new.topic in ('apps', 'bans', 'feed', 'signing_keys', 'withdrawals'))
  execute function notify_change();

-- Whether a process is sending a mail: a lease that runs, and not a wait until it is tried again.
alter table mails add column is_in_hand boolean not null default false;

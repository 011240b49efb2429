-- Readers report wrong data of an entry (decision 0024). subject is the entry's path, such as `galgames/42`. Moderators correct an
-- entry and cannot hide it, so takedowns keep their kinds.
alter table reports drop constraint reports_kind_check;
alter table reports add constraint reports_kind_check check (kind in ('REVIEW', 'PICTURE', 'PROFILE', 'ENTRY'));

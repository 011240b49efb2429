-- Lists of reviews, collections and profiles, favorites on profiles, followed profiles, and what users have read of their
-- notifications (decision 0047). The tables follow the rules for user data (decisions 0013 and 0039).

-- One order of each public list.
create index reviews_most_helpful on ratings ((like_count - dislike_count) desc, id desc)
  where rate_content <> '' and not status_private and not hidden;
drop index collections_changed_last;
create index collections_changed_last on collections (updated_at desc, id desc) where not is_private and item_count > 0;
create index collections_largest on collections (item_count desc, id desc) where not is_private and item_count > 0;

-- Works that a user shows at the top of the public profile.
create table favorites (
  account_id  bigint not null,
  position    smallint not null check (position between 1 and 4),
  work_id     bigint not null,
  kind        text not null,
  primary key (account_id, position),
  constraint favorites_account_id_work_id_key unique (account_id, work_id),
  constraint favorites_account_id_fkey foreign key (account_id) references account_refs on delete cascade,
  constraint favorites_work_id_kind_fkey foreign key (work_id, kind) references work_refs (id, kind)
);
create index favorites_of_a_work on favorites (work_id);

-- What a merge of two works (entry_merges) did to favorites, so that undoing it restores them.
create table merged_favorites (
  account_id  bigint not null,
  merge_id    bigint not null,
  position    smallint not null,
  -- True if the other work was a favorite as well, so the merge removed this one.
  is_removed  boolean not null,
  primary key (account_id, merge_id),
  constraint merged_favorites_account_id_fkey foreign key (account_id) references account_refs on delete cascade
);

-- Profiles that a user follows. A row stays while the profile is not public, but nothing is shown.
create table follows (
  account_id   bigint not null,
  followed_id  bigint not null,
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, followed_id),
  check (account_id <> followed_id),
  constraint follows_account_id_fkey foreign key (account_id) references account_refs on delete cascade,
  constraint follows_followed_id_fkey foreign key (followed_id) references account_refs on delete cascade
);
create index follows_of_a_profile on follows (followed_id, created_at);

-- Notifications are derived from the rows that cause them. Without a row, every kind is on, and nothing has been read.
create table notification_settings (
  account_id         bigint primary key,
  -- Later notifications are unread.
  read_until         timestamptz(3),
  notifies_volumes   boolean not null default true,
  notifies_votes     boolean not null default true,
  notifies_reports   boolean not null default true,
  notifies_followers boolean not null default true,
  constraint notification_settings_account_id_fkey foreign key (account_id) references account_refs on delete cascade
);

-- When a volume entered the catalog. Sources add volumes after their publication, which users have not seen then.
alter table light_novel_volumes add column added_at timestamptz(3) not null default '-infinity';
alter table light_novel_volumes alter column added_at set default now();
alter table manga_volumes add column added_at timestamptz(3) not null default '-infinity';
alter table manga_volumes alter column added_at set default now();
create index light_novel_volumes_published on light_novel_volumes (publication_date) where publication_date is not null;
create index manga_volumes_published on manga_volumes (publication_date) where publication_date is not null;

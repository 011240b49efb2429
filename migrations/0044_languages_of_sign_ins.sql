-- The language of the pages somebody last signed in on with a browser: for mails about what others do, where they have chosen
-- none. Null: not since it is kept.
alter table known_devices add column language text check (language in ('en', 'ja', 'zh-Hans'));

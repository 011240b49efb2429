-- Names as Japanese writes them: what Chinese simplification makes one character of are different names (叶 and 葉).
-- Not "delete": it takes the lock first and writes no log of millions of rows.
truncate record_names;
alter table record_names
  add column exact text collate "C" not null,
  -- a name that may be a given name or a pen name alone
  add column is_one_word boolean not null;

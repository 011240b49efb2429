-- The buckets of the index of names that have had an entry (decision 0016): what is frequent is read bucket by bucket, and
-- those that never had one are not asked for. A bucket is noted with its first entry, in the same statement.
create table search_buckets (
  section  smallint not null,
  bucket   integer not null,
  primary key (section, bucket)
);
-- As the program numbers them: with eight readers or more a bucket for each power of two, the largest first; below, ids that
-- differ in the lower 14 bits alone.
insert into search_buckets
select distinct
  section,
  case
    when readers >= 8 then 31 - least(31, length(ltrim(readers::bit(64)::text, '0')) - 1)
    else 32 + (7 - readers) * 1048576 + least(1048575, id / 16384)
  end
from search_entries;

-- Names of several words are also known in one piece, so that a slip in a short word of them is forgiven.
insert into search_progress (name) select 'rebuild' where exists (select from search_entries) on conflict do nothing;

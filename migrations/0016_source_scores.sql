-- Scores and popularity from the sources (decision 0044).

-- Scores at the sources, one item per source: {source, score, votes, rank}.
alter table works add column source_scores jsonb not null default '[]';

-- Number of users' scores, of which `score` is the mean.
alter table work_totals add column scores bigint not null default 0;
update work_totals total
set scores = (published.rating ->> 'total')::bigint
from work_ratings published
where published.work_id = total.work_id and published.rating ->> 'total' <> '0';

alter table listings
  -- Number of users' scores of a work; 0 for all other entries.
  add column scores bigint not null default 0,
  -- Mean score of a work at the sources, weighted by votes. 0 without votes, and for all other entries.
  add column source_score numeric(4, 2) not null default 0,
  -- Votes for a work at the sources. For other entries the sum over their works; `source_votes` counts those that are not nsfw.
  add column source_votes bigint not null default 0,
  add column source_votes_full bigint not null default 0;
update listings listing
set scores = total.scores
from work_totals total
where total.work_id = listing.id and total.kind = listing.kind and total.scores > 0;

-- Score by which works are ranked, 0 for fewer than five scores and votes together. The prior weighs as much as ten users. It is the
-- sources' mean after 25 more votes of 7, and therefore 7 if the sources have no votes.
alter table listings
  add column weighted_score numeric(4, 2) not null generated always as (
    case when scores + source_votes < 5 then 0
    else round(
      (score * scores + 10 * (source_score * source_votes + 7 * 25) / (source_votes + 25)) / (scores + 10), 2
    ) end
  ) stored,
  -- Number of users, and among equals the votes at the sources.
  add column popularity bigint not null generated always as (
    readers * 1048576 + least(source_votes, 1048575)
  ) stored,
  add column popularity_full bigint not null generated always as (
    readers_full * 1048576 + least(source_votes_full, 1048575)
  ) stored;

drop index listings_by_score, listings_by_readers, listings_by_readers_full;
create index listings_by_score on listings (kind, nsfw, weighted_score, popularity_full, (-id));
create index listings_by_popularity on listings (kind, nsfw, popularity, (-id));
create index listings_by_popularity_full on listings (kind, nsfw, popularity_full, (-id));

-- Search orders equal hits by popularity, which search_entries.readers now holds.
create or replace function note_search_readers() returns trigger language plpgsql as $$
begin
  execute '
    insert into search_readers_due (kind, id)
    select kind, id
    from (select kind, id, popularity from new_rows except all select kind, id, popularity from old_rows) changed
    order by kind, id
    on conflict do nothing';
  return null;
end $$;
insert into search_readers_due (kind, id)
select kind, id from listings where popularity > 0 order by kind, id
on conflict do nothing;

-- The home page shows the newest reviews, and the collections that were changed last.
create index reviews_newest_of_all on ratings (created_at desc, id desc)
  where rate_content <> '' and not status_private and not hidden;
create index collections_changed_last on collections (updated_at desc, id desc) where not is_private and item_count >= 4;

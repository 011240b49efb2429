-- Every import looks for mentions; few records have any.
create index source_records_mentions on source_records (kind, source) where links ? 'mentions';

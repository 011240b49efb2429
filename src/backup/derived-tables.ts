/**
 * Tables that a backup leaves out, with the reason. A restore rebuilds them, or marks them as due, so that the service
 * rebuilds them. All other tables are in the backup.
 */
export const DERIVED_TABLES: Record<string, string> = {
  deletion_clock: 'belongs to the clock of the database',
  feed_state: 'a restore begins another epoch of the change feed',
  migrations: 'written by the migrations that the manifest names',
  change_signals: 'revisions that running processes compare',
  stray_objects: 'objects in the bucket of the database that was backed up',
  webhook_position: 'belongs to the transactions of the database',
  listings: 'rebuilt from the entries',
  listing_facets: 'rebuilt with the listings',
  tag_listings: 'rebuilt with the listings',
  listing_positions: 'progress of the listings',
  listing_sums_due: 'progress of the listings',
  search_entries: 'rebuilt from the names of the entries',
  search_buckets: 'rebuilt with the search index',
  search_words: 'rebuilt with the search index',
  search_progress: 'progress of the search index',
  search_readers_due: 'progress of the search index',
  work_profiles: 'rebuilt from the change feed',
  tag_counts: 'rebuilt with the profiles',
  similar_works: 'computed from the profiles',
  similar_due: 'progress of similar works',
  similar_position: 'progress of similar works',
}

// What PostgreSQL says of the schema and of the statements that read it. Made by npm run describe.
import type { ColumnType, Generated } from 'kysely'

export type DescribedTables = {
  accounts: { id: Generated<number>; email: string; email_verified_at: Date | null; password_hash: string; name: string; nickname: string | null; picture: string | null; bio: Generated<string>; role: string | null; banned_at: Date | null; ban_reason: string | null; deletion_requested_at: Date | null; totp_secret: string | null; totp_added_at: Date | null; totp_last_step: Generated<number>; created_at: Generated<Date>; updated_at: Generated<Date> }
  app_endpoint_usage: { client_id: string; day: string; endpoint: string; status_class: number; requests: number }
  app_usage: { client_id: string; day: string; requests: Generated<number>; rate_limited: Generated<number>; errors: Generated<number>; tokens: Generated<number>; last_at: Date | null }
  apps: { client_id: string; account_id: number | null; client_name: string; client_uri: string | null; logo: string | null; logo_hash: string | null; privacy_uri: string | null; terms_uri: string | null; client_type: Generated<string>; application_type: Generated<string>; token_endpoint_auth_method: Generated<string>; redirect_uris: Generated<ColumnType<unknown, string>>; backchannel_logout_uri: string | null; backchannel_logout_session_required: Generated<boolean>; grant_types: ColumnType<unknown, string | null>; scopes: Generated<ColumnType<unknown, string>>; required_scopes: Generated<ColumnType<unknown, string>>; secret_hash: string | null; previous_secret_hash: string | null; previous_secret_expires_at: Date | null; secret_generation: Generated<number>; oldest_secret_generation: Generated<number>; tokens_checked_until: Date | null; enabled: Generated<boolean>; blocked_at: Date | null; requests_per_minute: number | null; form_key_hash: string | null; created_at: Generated<Date>; updated_at: Generated<Date> }
  attempts: { key: string; tries: number; last_try_at: Generated<Date>; blocked_until: Date | null }
  audit_events: { id: Generated<number>; at: Generated<Date>; kind: string; account_id: number | null; actor_id: number | null; client_id: string | null; address: string | null; user_agent: string | null; details: Generated<ColumnType<unknown, string>> }
  bangumi_pictures: { kind: string; id: number; path: string | null; asked_at: Generated<Date> }
  catalog_changes: { id: number; resource_type: string; resource_id: number; kind: string; merged_to_id: number | null; audience: string; created_at: Generated<Date> }
  catalog_changes_due: { position: Generated<number>; transaction_id: Generated<string>; resource_type: string; resource_id: number; was_shown: boolean | null }
  catalog_entries: { resource_type: string | null; resource_id: number | null; nsfw: boolean | null }
  change_signals: { topic: string; revision: Generated<number> }
  characters: { id: Generated<number>; name: string; trans_name: string | null; en_name: string | null; aliases: Generated<ColumnType<unknown, string>>; intro: Generated<string>; trans_intro: string | null; en_intro: string | null; image: ColumnType<unknown, string | null>; gender: string | null; blood_type: string | null; birthday_month: number | null; birthday_day: number | null; height: number | null; weight: number | null; bust: number | null; waist: number | null; hips: number | null; cup: string | null; age: number | null; labels: Generated<ColumnType<unknown, string>>; external_links: Generated<ColumnType<unknown, string>>; created_at: Generated<Date>; updated_at: Generated<Date>; revised_at: Date | null }
  collection_items: { account_id: number; collection_id: number; work_id: number; id: Generated<number>; note: Generated<string>; position: number | null; added_at: Generated<Date>; updated_at: Generated<Date>; last_put: string }
  collections: { account_id: number; id: Generated<number>; name: string; description: Generated<string>; is_private: Generated<boolean>; is_default: Generated<boolean>; item_count: Generated<number>; created_at: Generated<Date>; updated_at: Generated<Date> }
  consents: { account_id: number; client_id: string; scopes: ColumnType<unknown, string>; withheld: Generated<ColumnType<unknown, string>>; created_at: Generated<Date>; updated_at: Generated<Date>; last_used_at: Generated<Date> }
  credited_works: { kind: string | null; id: number | null; work_kind: string | null; work_id: number | null }
  deleted_collections: { account_id: number; id: number; collection: ColumnType<unknown, string>; items: ColumnType<unknown, string>; deleted_at: Generated<Date> }
  entry_merges: { id: Generated<number>; kind: string; from_id: number; into_id: number; rule: string; records: ColumnType<unknown, string>; entry: ColumnType<unknown, string>; merged_at: Generated<Date>; undone_at: Date | null }
  form_drafts: { token_hash: string; sender: string; path: string; fields: ColumnType<unknown, string>; expires_at: Date }
  galgame_character_actors: { galgame_id: number; character_id: number; position: number; person_id: number; credited_as: string | null }
  galgame_characters: { galgame_id: number; position: number; character_id: number; role: string }
  galgame_producers: { galgame_id: number; position: number; producer_id: number; role: string; note: Generated<string> }
  galgame_relations: { galgame_id: number; position: number; related_galgame_id: number; relation: string }
  galgame_staff: { galgame_id: number; position: number; person_id: number; role: string | null; credited_as: string | null }
  galgames: { id: number; kind: Generated<string>; origin_title: string; trans_title: string | null; en_title: string | null; aliases: Generated<ColumnType<unknown, string>>; covers: Generated<ColumnType<unknown, string>>; images: Generated<ColumnType<unknown, string>>; release_date: string | null; release_date_tbd: Generated<boolean>; release_date_tbd_note: Generated<string>; origin_intro: string | null; trans_intro: string | null; en_intro: string | null; adv_type: string | null; platforms: Generated<ColumnType<unknown, string>>; homepage: string | null; external_links: Generated<ColumnType<unknown, string>>; steam_apps: Generated<ColumnType<unknown, string>>; engine: string | null; origin_lang: string | null; dev_status: string | null; prices: Generated<ColumnType<unknown, string>> }
  grants: { id: string; account_id: number; client_id: string; payload: string; created_at: Generated<Date>; expires_at: Date }
  import_checksums: { source: string; checksum: string; kinds: ColumnType<unknown, string>; remarks: ColumnType<unknown, string>; until: string | null; on_catalog: Generated<boolean> }
  import_runs: { id: Generated<number>; source: string; mapping_version: number | null; dump_name: string | null; dump_date: string | null; sha256: string | null; pid: number | null; host: string | null; began_at: Generated<Date>; ended_at: Date | null; outcome: string | null; kinds: Generated<ColumnType<unknown, string>>; remarks: Generated<ColumnType<unknown, string>>; phase_seconds: Generated<ColumnType<unknown, string>>; error: string | null }
  installation: { name: string; value: ColumnType<unknown, string> }
  joined_volumes: { source: string; external_id: string; own_id: number }
  kind_ratings: { kind: string; total: Generated<number>; sum: Generated<number> }
  known_devices: { account_id: number; device_hash: string; language: string | null; created_at: Generated<Date | null>; last_used_at: Generated<Date> }
  known_galgames: { id: number | null; origin_title: string | null; trans_title: string | null; release_date: string | null; covers: ColumnType<unknown, string | null> }
  known_light_novels: { id: number | null; name: string | null; name_cn: string | null; publication_date: string | null; covers: ColumnType<unknown, string | null> }
  known_mangas: { id: number | null; name: string | null; name_cn: string | null; publication_date: string | null; covers: ColumnType<unknown, string | null> }
  light_novel_characters: { light_novel_id: number; position: number; character_id: number; role: string }
  light_novel_people: { light_novel_id: number; position: number; person_id: number; relation: string; note: string | null }
  light_novel_producers: { light_novel_id: number; position: number; producer_id: number; relation: string; note: string | null }
  light_novel_volumes: { id: Generated<number>; light_novel_id: number; position: number; volume_type: Generated<string>; volume_number: number | null; volume_label: string | null; name: string | null; name_cn: string | null; covers: Generated<ColumnType<unknown, string>>; publication_date: string | null; publication_date_text: string | null; relation: Generated<string>; isbns: Generated<ColumnType<unknown, string>>; page_count: number | null; price_amount: number | null; price_currency: string | null }
  light_novels: { id: number; kind: Generated<string>; name: string; name_cn: string | null; other_names: Generated<ColumnType<unknown, string>>; covers: Generated<ColumnType<unknown, string>>; publication_date: string | null; publication_date_text: string | null; novel_status: Generated<string>; total_volumes: Generated<number>; external_links: Generated<ColumnType<unknown, string>>; summary: string | null; summary_cn: string | null }
  like_notes: { id: Generated<number>; account_id: number; work_id: number; liked: boolean }
  links: { token_hash: string; purpose: string; email: string; account_id: number | null; name: string | null; password_hash: string | null; browser_hash: string | null; interaction: string | null; since: Generated<Date | null>; expires_at: Date }
  list_imports: { account_id: number; id: string; source: string; file: Uint8Array | null; chosen: Generated<ColumnType<unknown, string>>; counts: ColumnType<unknown, string | null>; first_change: number | null; last_change: number | null; undone: ColumnType<unknown, string | null>; created_at: Generated<Date>; expires_at: Date }
  listing_facets: { facet: string; everybody: number; nsfw: number }
  listing_positions: { name: string; position: Generated<number> }
  listing_sums_due: { kind: string; id: number }
  listings: { kind: string; id: number; nsfw: boolean; score: Generated<number>; readers: Generated<number>; readers_full: Generated<number>; released: string; name: string; changed_at: Date; facets: (string | null)[] }
  mails: { id: Generated<number>; kind: string; email: string; language: string; details: Generated<ColumnType<unknown, string>>; attempts: Generated<number>; created_at: Generated<Date>; next_attempt_at: Generated<Date>; is_in_hand: Generated<boolean>; failed_at: Date | null }
  manga_characters: { manga_id: number; position: number; character_id: number; role: string }
  manga_people: { manga_id: number; position: number; person_id: number; role: string; note: Generated<string> }
  manga_producers: { manga_id: number; position: number; producer_id: number; role: string; note: Generated<string> }
  manga_volumes: { id: Generated<number>; manga_id: number; position: number; volume_number: number | null; name: string | null; name_cn: string | null; cover: ColumnType<unknown, string | null>; isbn: string | null; publication_date: string | null; publication_date_text: string | null; page_count: number | null }
  mangas: { id: number; kind: Generated<string>; name: string; name_cn: string | null; other_names: Generated<ColumnType<unknown, string>>; covers: Generated<ColumnType<unknown, string>>; serial_status: Generated<string>; reading_mode: Generated<string>; origin_country: string | null; audience: string | null; latest_chapter_at: string | null; publication_date: string | null; publication_date_text: string | null; publication_end_date: string | null; publication_end_date_text: string | null; homepage: string | null; external_links: Generated<ColumnType<unknown, string>>; isbn: string | null; price_amount: number | null; price_currency: string | null; pages: number | null; editions: Generated<ColumnType<unknown, string>>; summary: string | null; summary_cn: string | null }
  matches: { id: Generated<number>; kind: string; source: string; external_id: string; other_source: string; other_external_id: string; rule: string; evidence: Generated<ColumnType<unknown, string>>; state: Generated<string>; found_at: Generated<Date>; decided_at: Date | null }
  merged_entries: { kind: string; id: number; merged_into: number; merged_at: Generated<Date> }
  merged_items: { account_id: number; merge_id: number; collection_id: number; from_item: ColumnType<unknown, string>; into_item: ColumnType<unknown, string | null>; left_item: ColumnType<unknown, string> }
  merged_ratings: { account_id: number; merge_id: number; from_rating: ColumnType<unknown, string | null>; into_rating: ColumnType<unknown, string | null>; left_rating: ColumnType<unknown, string | null>; history: (number | null)[]; note: number | null }
  merged_votes: { account_id: number; merge_id: number; voter_id: number; rating_id: number; liked: boolean; created_at: Date; updated_at: Date }
  migrations: { name: string; hash: string; applied_at: Generated<Date> }
  oidc_records: { model: string; id_hash: string; payload: string; grant_id: string | null; client_id: string | null; user_code: string | null; consumed_at: Date | null; succeeds: string | null; superseded_at: Date | null; expires_at: Date }
  passkey_challenges: { challenge_hash: string; purpose: string; account_id: number | null; expires_at: Date }
  passkeys: { credential_id: string; account_id: number; name: string; public_key: string; counter: Generated<number>; transports: Generated<ColumnType<unknown, string>>; created_at: Generated<Date>; last_used_at: Date | null }
  people: { id: Generated<number>; name: string; trans_name: string | null; aliases: Generated<ColumnType<unknown, string>>; intro: Generated<string>; trans_intro: string | null; image: ColumnType<unknown, string | null>; gender: string | null; labels: Generated<ColumnType<unknown, string>>; external_links: Generated<ColumnType<unknown, string>>; created_at: Generated<Date>; updated_at: Generated<Date>; revised_at: Date | null }
  producers: { id: Generated<number>; name: string; trans_name: string | null; type: Generated<string>; aliases: Generated<ColumnType<unknown, string>>; intro: string | null; trans_intro: string | null; en_intro: string | null; country: Generated<string>; established: string | null; established_text: string | null; website: string | null; external_links: Generated<ColumnType<unknown, string>>; logo: ColumnType<unknown, string | null>; labels: Generated<ColumnType<unknown, string>>; created_at: Generated<Date>; updated_at: Generated<Date>; revised_at: Date | null }
  profile_names: { folded: string; name: string; account_id: number; taken_at: Generated<Date> }
  public_profiles: { account_id: number; is_shown: Generated<boolean>; is_withheld: Generated<boolean>; name: string | null; shows_list: Generated<boolean>; shows_statistics: Generated<boolean>; shows_reviews: Generated<boolean>; shows_collections: Generated<boolean>; may_be_found: Generated<boolean>; updated_at: Generated<Date> }
  rating_changes: { id: Generated<number>; account_id: number; work_id: number; kind: string; action: string; client_id: string | null; fields: ColumnType<unknown, string>; changed_at: Generated<Date> }
  rating_counts: { work_id: number; field: string; value: string; amount: number }
  rating_deltas: { account_id: number; id: Generated<number>; work_id: number; kind: string; was: ColumnType<unknown, string>; becomes: ColumnType<unknown, string> }
  rating_walks: { account_id: number; id: Generated<number>; client_id: string; filter: string; work_ids: (number | null)[]; started_at: Generated<Date> }
  ratings: { id: Generated<number>; account_id: number; work_id: number; kind: string; status: Generated<string | null>; status_private: Generated<boolean>; rate: number | null; rate_character: number | null; rate_illustration: number | null; rate_pacing: number | null; rate_plot: number | null; rate_worldview: number | null; rate_writing: number | null; rate_scenario: number | null; rate_direction: number | null; rate_music: number | null; rate_visual: number | null; rate_system: number | null; rate_content: Generated<string>; is_spoiler: Generated<boolean>; time_to_finish_minutes: Generated<number>; like_count: Generated<number>; dislike_count: Generated<number>; hidden: Generated<boolean>; previous: unknown; created_at: Generated<Date>; updated_at: Date }
  reader_preferences: { account_id: number; shows_nsfw: Generated<boolean>; of_age_stated_at: Date | null; shows_spoilers: Generated<boolean>; language: string | null; time_zone: string | null }
  record_names: { source: string; kind: string; external_id: string; folded: string; exact: string; is_one_word: boolean }
  recovery_codes: { account_id: number; code_hash: string; created_at: Generated<Date | null> }
  refused_requests: { id: Generated<number>; client_id: string; at: Date; request_id: string; endpoint: string; status: number; code: string; reason: string; coded_reason: ColumnType<unknown, string | null>; sent: ColumnType<unknown, string>; address: string | null }
  removed_items: { account_id: number; collection_id: number; work_id: number; item: ColumnType<unknown, string>; removed_at: Generated<Date> }
  reports: { account_id: number; id: Generated<number>; kind: string; subject: string; owner_id: number | null; place: string; reason: string; note: string; state: Generated<string>; created_at: Generated<Date>; decided_at: Date | null; decided_by: number | null }
  review_votes: { account_id: number; work_id: number; voter_id: number; rating_id: number; liked: boolean; was_liked: boolean | null; hidden: Generated<boolean>; created_at: Generated<Date>; updated_at: Generated<Date> }
  search_buckets: { section: number; bucket: number }
  search_entries: { section: number; id: number; readers: Generated<number>; names: string; words: string; grams: (number | null)[]; hash: string | null }
  search_progress: { name: string; kind: Generated<number>; id: Generated<number> }
  search_readers_due: { kind: string; id: number }
  search_words: { word: string; slips: (number | null)[] }
  sessions: { id_hash: string; uid: string; account_id: number | null; payload: string; user_agent: Generated<string>; address: Generated<string>; signed_in_for: string | null; created_at: Generated<Date>; last_used_at: Generated<Date>; expires_at: Date }
  shown_works: { id: number | null; kind: string | null; nsfw: boolean | null; tags: ColumnType<unknown, string | null>; created_at: Date | null; updated_at: Date | null; revised_at: Date | null }
  signing_keys: { kid: string; alg: string; private_jwk: string; created_at: Generated<Date>; signs_from: Generated<Date>; retired_at: Date | null }
  similar_due: { work_id: number; since: Date; spreads: boolean }
  similar_position: { one: Generated<boolean>; change_id: Generated<number>; works: Generated<number> }
  similar_works: { work_id: number; similar_ids: (number | null)[]; reasons: (string | null)[]; likes: number; computed_at: Date }
  source_records: { source: string; kind: string; external_id: string; entry_id: number; fields: ColumnType<unknown, string>; links: Generated<ColumnType<unknown, string>>; hash: string | null; imported_at: Generated<Date> }
  source_same_as: { source: string; kind: string; external_id: string; other_source: string; other_external_id: string }
  tag_counts: { tag_id: number; works: number }
  tag_listings: { tag_id: number; name: string; everybody: number; nsfw: number; total: Generated<number>; grams: Generated<(string | null)[]> }
  tags: { id: Generated<number>; name: string; created_at: Generated<Date> }
  takedowns: { id: Generated<number>; kind: string; subject: string; owner_id: number | null; place: string; reason: string; note: string; previous: string | null; hidden_at: Generated<Date>; hidden_by: number | null; appeal: string | null; appealed_at: Date | null; appeal_decided_at: Date | null; appeal_decided_by: number | null; appeal_answer: string | null; restored_at: Date | null; restored_by: number | null }
  trusted_browsers: { id: Generated<number>; token_hash: string; account_id: number; user_agent: Generated<string>; address: Generated<string>; created_at: Generated<Date>; last_used_at: Generated<Date>; expires_at: Date }
  uploads: { id: Generated<number>; account_id: number; hash: string; bytes: Uint8Array; created_at: Generated<Date> }
  volumes_of_works: { resource_type: string | null; resource_id: number | null; work_id: number | null }
  vote_deltas: { account_id: number; id: Generated<number>; rating_id: number; likes: number; dislikes: number }
  withdrawals: { kind: string; subject: string; expires_at: Generated<Date> }
  withdrawn_records: { source: string; kind: string; external_id: string; entry_id: number; fields: ColumnType<unknown, string>; links: ColumnType<unknown, string>; withdrawn_at: Generated<Date> }
  withdrawn_works: { id: number; kind: string; name: string; trans_name: string | null; day: string | null; covers: ColumnType<unknown, string> }
  work_likes: { work_id: number; likes: number }
  work_links: { work_id: number | null; class: string | null; ref: number | null }
  work_profiles: { work_id: number; tags: (number | null)[]; digest: string }
  work_ratings: { work_id: number; kind: string; rating: ColumnType<unknown, string>; revision: number }
  work_totals: { work_id: number; kind: string; readers: number; score: number; revision: number }
  works: { id: Generated<number>; kind: string; nsfw: Generated<boolean>; tags: Generated<ColumnType<unknown, string>>; created_at: Generated<Date>; updated_at: Generated<Date>; revised_at: Date | null }
}

/** PostgreSQL does not say which parameters and columns may be null: any of them may. */
export type DescribedStatements = {
  'accounts.accounts_list': { parameters: []; row: { id: number; email: string; name: string; nickname: string; picture: string; bio: string; email_verified_at: Date; banned_at: Date; deletion_requested_at: Date; ban_reason: string; role: string; has_totp: boolean; created_at: Date; updated_at: Date } }
  'accounts.claim_mail': { parameters: []; row: { id: number; kind: string; email: string; language: string; details: unknown; attempts: number; created_at: Date } }
  'accounts.confirm': { parameters: [number, string, string, string]; row: { id: number; email: string; name: string; nickname: string; picture: string; bio: string; email_verified_at: Date; banned_at: Date; deletion_requested_at: Date; ban_reason: string; role: string; has_totp: boolean; created_at: Date; updated_at: Date } }
  'accounts.consume_try': { parameters: [string, number]; row: { tries: number } }
  'accounts.consume_try_from': { parameters: [string, string]; row: { of_address: boolean; of_own: boolean } }
  'accounts.count_of': { parameters: [number]; row: { sessions: number; apps: number; passkeys: number } }
  'accounts.count_within_hour': { parameters: [string, number]; row: { tries: number } }
  'accounts.create_default_collection': { parameters: [number]; row: {} }
  'accounts.delete_all': { parameters: [number]; row: {} }
  'accounts.delete_draft': { parameters: [string]; row: {} }
  'accounts.delete_link': { parameters: [string]; row: { token_hash: string } }
  'accounts.delete_links': { parameters: [number, string]; row: {} }
  'accounts.delete_links_since': { parameters: [number, Date]; row: {} }
  'accounts.delete_mails_since': { parameters: [string, Date, string, string]; row: {} }
  'accounts.delete_oldest': { parameters: [number, number]; row: {} }
  'accounts.delete_one': { parameters: [number, number]; row: { id: number } }
  'accounts.delete_ratings': { parameters: [number]; row: {} }
  'accounts.delete_votes': { parameters: [number]; row: {} }
  'accounts.export_apps': { parameters: [number]; row: { client_id: string; client_name: string; client_uri: string; logo: string; redirect_uris: unknown; scopes: unknown; created_at: Date } }
  'accounts.export_collection_items': { parameters: [number]; row: { collection_id: number; work_id: number; note: string; position: number; added_at: Date; updated_at: Date } }
  'accounts.export_collections': { parameters: [number]; row: { id: number; name: string; description: string; is_private: boolean; is_default: boolean; created_at: Date; updated_at: Date } }
  'accounts.export_consents': { parameters: [number]; row: { client_id: string; scopes: unknown; created_at: Date; updated_at: Date; last_used_at: Date } }
  'accounts.export_deleted_collections': { parameters: [number]; row: { collection: unknown; items: unknown; deleted_at: Date } }
  'accounts.export_known_devices': { parameters: [number]; row: { last_used_at: Date; language: string } }
  'accounts.export_passkeys': { parameters: [number]; row: { name: string; created_at: Date; last_used_at: Date } }
  'accounts.export_public_profile': { parameters: [number]; row: { is_shown: boolean; name: string; shows_list: boolean; shows_statistics: boolean; shows_reviews: boolean; shows_collections: boolean; may_be_found: boolean; updated_at: Date; names: unknown } }
  'accounts.export_rating_changes': { parameters: [number]; row: { work_type: string; work_id: number; action: string; client_id: string; fields: unknown; changed_at: Date } }
  'accounts.export_ratings': { parameters: [number]; row: { work_type: string; work_id: number; said: unknown; like_count: number; dislike_count: number; created_at: Date; updated_at: Date } }
  'accounts.export_removed_items': { parameters: [number]; row: { collection_id: number; item: unknown; removed_at: Date } }
  'accounts.export_reports': { parameters: [number]; row: { kind: string; place: string; reason: string; note: string; state: string; created_at: Date; decided_at: Date } }
  'accounts.export_review_votes': { parameters: [number]; row: { work_type: string; work_id: number; rating_id: number; liked: boolean; created_at: Date; updated_at: Date } }
  'accounts.export_sessions': { parameters: [number]; row: { user_agent: string; address: string; created_at: Date; last_used_at: Date; expires_at: Date } }
  'accounts.export_takedowns': { parameters: [number]; row: { kind: string; place: string; reason: string; note: string; hidden_at: Date; appeal: string; appealed_at: Date; appeal_decided_at: Date; appeal_answer: string; restored_at: Date } }
  'accounts.export_uploads': { parameters: [number]; row: { hash: string; created_at: Date } }
  'accounts.find_by_email': { parameters: [string, string]; row: { id: number; email: string; name: string; nickname: string; picture: string; bio: string; email_verified_at: Date; banned_at: Date; deletion_requested_at: Date; ban_reason: string; role: string; has_totp: boolean; created_at: Date; updated_at: Date } }
  'accounts.find_by_id': { parameters: [number]; row: { id: number; email: string; name: string; nickname: string; picture: string; bio: string; email_verified_at: Date; banned_at: Date; deletion_requested_at: Date; ban_reason: string; role: string; has_totp: boolean; created_at: Date; updated_at: Date } }
  'accounts.find_credentials': { parameters: [string, string, string]; row: { id: number; email: string; password_hash: string; known_device: boolean } }
  'accounts.find_recipient': { parameters: [number]; row: { email: string; language: string } }
  'accounts.form_draft_find': { parameters: [string]; row: { path: string; fields: unknown } }
  'accounts.form_draft_save': { parameters: [string, string, string, string]; row: { token_hash: string } }
  'accounts.give_up_mail': { parameters: [number, number]; row: {} }
  'accounts.has_mail': { parameters: [number]; row: { id: number } }
  'accounts.hide_ratings': { parameters: [number, boolean]; row: {} }
  'accounts.hide_votes': { parameters: [number, boolean]; row: {} }
  'accounts.insert': { parameters: [string, number, string, string, number]; row: {} }
  'accounts.insert_challenge': { parameters: [string, string, number]; row: {} }
  'accounts.insert_link': { parameters: [string, string, string, number, string, string, string, string, Date, number]; row: {} }
  'accounts.list_added': { parameters: [number, Date]; row: { authenticator: Date; recovery_codes: number } }
  'accounts.list_passkeys': { parameters: [number, Date]; row: { name: string; created_at: Date } }
  'accounts.lock_account': { parameters: [number]; row: { id: number } }
  'accounts.lock_account_to_secure': { parameters: [number]; row: { email: string } }
  'accounts.lock_ratings_to_delete': { parameters: [number]; row: {} }
  'accounts.lock_ratings_to_hide': { parameters: [number]; row: {} }
  'accounts.lock_session': { parameters: [string, number]; row: { uid: string } }
  'accounts.lock_votes_to_delete': { parameters: [number]; row: {} }
  'accounts.lock_votes_to_hide': { parameters: [number]; row: {} }
  'accounts.note_added': { parameters: [number]; row: {} }
  'accounts.peek_link': { parameters: [string, string]; row: { token_hash: string; purpose: string; email: string; account_id: number; name: string; password_hash: string; browser_hash: string; interaction: string; since: Date; expires_at: Date } }
  'accounts.postpone_mail': { parameters: [number, number]; row: {} }
  'accounts.preferences_save': { parameters: [number, boolean, string, string, boolean]; row: {} }
  'accounts.queue_find': { parameters: [number]; row: {} }
  'accounts.queue_list': { parameters: []; row: { id: number; kind: string; email: string; attempts: number; created_at: Date; next_attempt_at: Date; failed_at: Date; is_in_hand: boolean } }
  'accounts.remove_authenticator': { parameters: [number, Date]; row: {} }
  'accounts.remove_known_devices': { parameters: [number, Date]; row: {} }
  'accounts.remove_passkeys': { parameters: [number, Date]; row: {} }
  'accounts.remove_recovery_codes': { parameters: [number, Date]; row: {} }
  'accounts.renew_lease': { parameters: [number, number]; row: {} }
  'accounts.reset_account': { parameters: [number, string, string]; row: {} }
  'accounts.retry': { parameters: [number]; row: { kind: string } }
  'accounts.search': { parameters: [string]; row: { id: number; email: string; name: string; role: string; banned_at: Date; created_at: Date } }
  'accounts.seconds_until_free': { parameters: [string]; row: { seconds: number } }
  'accounts.seconds_until_hour': { parameters: [string]; row: { seconds: number } }
  'accounts.select': { parameters: [number]; row: { shows_nsfw: boolean; of_age_stated_at: Date; language: string; time_zone: string; shows_spoilers: boolean } }
  'accounts.select_page_account': { parameters: [number]; row: { name: string; picture: string; role: string; time_zone: string; shows_nsfw: boolean; shows_spoilers: boolean } }
  'accounts.set_picture': { parameters: [number, string]; row: { picture: string } }
  'accounts.sign_in': { parameters: [number, Date, string, string, string, string, string, Date, string, string, string, boolean, string, string, string]; row: { language: string; keeps_token: boolean; is_strange: boolean } }
  'accounts.sweep_app_endpoint_usage': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_app_usage': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_attempts': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_audit_events': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_deleted_collections': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_form_drafts': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_grants': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_known_devices': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_links': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_list_imports': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_mails': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_oidc_records': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_passkey_challenges': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_rating_walks': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_refused_requests': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_removed_items': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_sessions': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_trusted_browsers': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_uploads': { parameters: []; row: { '?column?': number } }
  'accounts.sweep_withdrawals': { parameters: []; row: { '?column?': number } }
  'accounts.take_challenge': { parameters: [string, string, number]; row: { challenge_hash: string } }
  'accounts.take_link': { parameters: [string, string]; row: { token_hash: string; purpose: string; email: string; account_id: number; name: string; password_hash: string; browser_hash: string; interaction: string; since: Date; expires_at: Date } }
  'accounts.trusted_browsers_list': { parameters: [number]; row: { id: number; user_agent: string; address: string; created_at: Date; last_used_at: Date; expires_at: Date } }
  'accounts.use': { parameters: [number, readonly (string | null)[]]; row: { id: number } }
  'accounts.use_passkey': { parameters: [string, number]; row: { account_id: number } }
  'apps.add_endpoint_usage': { parameters: [string]; row: {} }
  'apps.add_refused': { parameters: [string]; row: {} }
  'apps.add_usage': { parameters: [string]; row: {} }
  'apps.delete_old': { parameters: [readonly (string | null)[]]; row: {} }
  'apps.disable': { parameters: [number, Date]; row: { client_id: string; client_name: string } }
  'apps.find': { parameters: [string]; row: { client_id: string; client_name: string; account_id: number; developer: string; is_enabled: boolean; requests_per_minute: number; scopes: unknown; created_at: Date } }
  'apps.list': { parameters: [number, Date]; row: { name: string; is_new: boolean } }
  'apps.list_last_uses': { parameters: [number]; row: { client_id: string; last_at: Date } }
  'apps.search': { parameters: [string]; row: { client_id: string; client_name: string; account_id: number; developer: string; is_enabled: boolean; requests_per_minute: number; scopes: unknown; created_at: Date } }
  'apps.select_apps': { parameters: [readonly (string | null)[]]; row: { client_id: string; account_id: number; client_name: string; client_uri: string; logo: string; logo_hash: string; privacy_uri: string; terms_uri: string; client_type: string; application_type: string; token_endpoint_auth_method: string; redirect_uris: unknown; scopes: unknown; required_scopes: unknown; grant_types: unknown; blocked_at: Date; secret_hash: string; previous_secret_expires_at: Date; secret_generation: number; oldest_secret_generation: number; tokens_checked_until: Date; enabled: boolean; requests_per_minute: number; backchannel_logout_uri: string; backchannel_logout_session_required: boolean; created_at: Date; updated_at: Date; previous_secret_hash: string; is_owner_banned: boolean } }
  'apps.select_endpoint_usage': { parameters: [string, number]; row: { date: string; endpoint: string; status: string; requests: number } }
  'apps.select_refused': { parameters: [string]; row: { at: Date; request_id: string; endpoint: string; status: number; code: string; reason: string; coded_reason: unknown; sent: unknown; address: string } }
  'apps.select_usage': { parameters: [string]; row: { connected_users: number; days: unknown } }
  'apps.select_weeks': { parameters: [number, number]; row: { client_id: string; date: string; answered: number; refused: number } }
  'audit.kinds': { parameters: []; row: { kind: string } }
  'audit.last': { parameters: [readonly (string | null)[], number, string, string, readonly (string | null)[], number, string]; row: { is_it: boolean; details: unknown } }
  'audit.search': { parameters: [number, number, string, string, string, string, number]; row: { id: number; at: Date; kind: string; client_id: string; address: string; user_agent: string; details: unknown; account_id: number; actor_id: number; account_name: string; actor_name: string } }
  'browse.all_tags_everybody': { parameters: [number, number]; row: { total: number; tags: unknown } }
  'browse.all_tags_total': { parameters: [number, number]; row: { total: number; tags: unknown } }
  'browse.analyze_fresh': { parameters: []; row: {} }
  'browse.analyze_listings': { parameters: []; row: {} }
  'browse.analyze_touched': { parameters: []; row: {} }
  'browse.between': { parameters: [string, number, number, number]; row: { id: number; changed_at: Date } }
  'browse.by_index': { parameters: []; row: { set_config: string } }
  'browse.count_facets': { parameters: []; row: {} }
  'browse.count_tags': { parameters: []; row: {} }
  'browse.create_touched': { parameters: []; row: {} }
  'browse.delete_gone': { parameters: []; row: {} }
  'browse.drop_temporary': { parameters: []; row: {} }
  'browse.empty_fresh': { parameters: []; row: {} }
  'browse.facet_changes': { parameters: []; row: {} }
  'browse.facet_values_select': { parameters: [string, boolean]; row: { value: string; amount: number } }
  'browse.facets': { parameters: [readonly (string | null)[]]; row: { facet: string; everybody: number; nsfw: number } }
  'browse.find_tags': { parameters: [readonly (string | null)[]]; row: { id: number; name: string } }
  'browse.in_order': { parameters: []; row: { set_config: string } }
  'browse.is_catalog_empty': { parameters: []; row: { empty: boolean } }
  'browse.last_ids': { parameters: [readonly (string | null)[]]; row: { kind: string; last: number } }
  'browse.lock_for_many': { parameters: []; row: { taken: string; set_config: string } }
  'browse.lookup_by_isbn': { parameters: [readonly (number | null)[], readonly (string | null)[], readonly (string | null)[], string, boolean]; row: { place: number; type: string; volume_id: number; entry: unknown } }
  'browse.lookup_by_site': { parameters: [readonly (number | null)[], readonly (string | null)[], readonly (string | null)[], string, boolean]; row: { place: number; type: string; volume_id: number; entry: unknown } }
  'browse.lookup_by_steam': { parameters: [readonly (number | null)[], readonly (string | null)[], readonly (string | null)[], string, boolean]; row: { place: number; type: string; volume_id: number; entry: unknown } }
  'browse.make_fresh_character': { parameters: []; row: {} }
  'browse.make_fresh_galgame': { parameters: []; row: {} }
  'browse.make_fresh_light_novel': { parameters: []; row: {} }
  'browse.make_fresh_manga': { parameters: []; row: {} }
  'browse.make_fresh_person': { parameters: []; row: {} }
  'browse.make_fresh_producer': { parameters: []; row: {} }
  'browse.move': { parameters: [string, number]; row: {} }
  'browse.newest': { parameters: [number]; row: { kind: string; id: number; created_at: Date } }
  'browse.next_changes': { parameters: []; row: { last: number; amount: number } }
  'browse.note_sums': { parameters: []; row: {} }
  'browse.save_listings': { parameters: []; row: {} }
  'browse.sort_in': { parameters: []; row: { gin_clean_pending_list: number } }
  'browse.sum_readers': { parameters: []; row: { amount: number } }
  'browse.summary_select': { parameters: [string, boolean]; row: { entry: unknown } }
  'browse.tag_exists': { parameters: [string, boolean]; row: {} }
  'browse.tags_with_part_everybody': { parameters: [number, number, string]; row: { total: number; tags: unknown } }
  'browse.tags_with_part_total': { parameters: [number, number, string]; row: { total: number; tags: unknown } }
  'browse.take_totals': { parameters: []; row: { last: number; amount: number } }
  'browse.touched_kinds': { parameters: []; row: { kind: string; entries: number } }
  'browse.try_lock': { parameters: []; row: { taken: boolean; set_config: string } }
  'browse.works_of_character': { parameters: [number, readonly (string | null)[], readonly (string | null)[], boolean, number, number]; row: { total: number; items: string } }
  'browse.works_of_person': { parameters: [number, readonly (string | null)[], readonly (string | null)[], boolean, number, number]; row: { total: number; items: string } }
  'browse.works_of_producer': { parameters: [number, readonly (string | null)[], readonly (string | null)[], boolean, number, number]; row: { total: number; items: string } }
  'catalog.changes_full': { parameters: [number, number]; row: { id: number; resource_type: string; resource_id: number; kind: string; merged_to_id: number; created_at: Date; latest_id: number } }
  'catalog.changes_without_full': { parameters: [number, number]; row: { id: number; resource_type: string; resource_id: number; kind: string; merged_to_id: number; created_at: Date; latest_id: number } }
  'catalog.loaded': { parameters: [readonly (string | null)[]]; row: { source: string; dump_date: string; imported_at: Date } }
  'catalog.locked_and_settled': { parameters: []; row: { taken: boolean; set_config: string } }
  'catalog.merged': { parameters: [string, readonly (number | null)[], boolean]; row: { id: number; merged_into: number } }
  'catalog.number': { parameters: [string]; row: { notes: number } }
  'catalog.snapshot_of_due': { parameters: []; row: { snapshot: string } }
  'db.allowed': { parameters: []; row: { allowed: number } }
  'db.find_blockers': { parameters: [number]; row: { pid: number; application: string; state: string; since: Date; table: string } }
  'db.find_due': { parameters: [number, number, number, boolean]; row: { name: string; is_bloated: boolean; is_unanalyzed: boolean; is_old: boolean } }
  'db.flush_statistics': { parameters: []; row: { pg_stat_force_next_flush: string } }
  'db.hold_lock': { parameters: [number]; row: { pg_advisory_xact_lock: string } }
  'db.hold_one_of_locks': { parameters: [number, number]; row: { pg_advisory_xact_lock: string } }
  'db.try_lock': { parameters: [number]; row: { taken: boolean } }
  'identity.consume': { parameters: [string, string]; row: { grant_id: string } }
  'identity.consume_refresh_token': { parameters: [string]; row: { grant_id: string } }
  'identity.names_since': { parameters: [number, Date]; row: { name: string } }
  'identity.session': { parameters: [string, string]; row: { uid: string; payload: string; last_used_at: Date; grant_id: string; grant_payload: string; id: number; email: string; name: string; nickname: string; picture: string; email_verified_at: Date; banned_at: Date; deletion_requested_at: Date; updated_at: Date } }
  'identity.token': { parameters: [string, string]; row: { id_hash: string; payload: string; consumed_at: Date; superseded_at: Date; is_lapsed: boolean; grant_id: string; grant_payload: string; session_uid: string; session_payload: string; session_used_at: Date; id: number; email: string; name: string; nickname: string; picture: string; email_verified_at: Date; banned_at: Date; deletion_requested_at: Date; updated_at: Date } }
  'identity.why_not_consumed': { parameters: [string, number]; row: { grant_id: string; is_superseded: boolean; has_crossed: boolean } }
  'identity.withdraw_since': { parameters: [number, Date]; row: { client_id: string } }
  'merging.list': { parameters: [number, number]; row: { id: number; kind: string; from_id: number; into_id: number; rule: string; merged_at: Date; undone_at: Date } }
  'moderation.appeal': { parameters: [number, number, string]; row: { kind: string; subject: string } }
  'moderation.count_own': { parameters: [number]; row: { amount: number } }
  'moderation.count_queue': { parameters: []; row: { amount: number } }
  'moderation.create_report': { parameters: [number, string, string, number, string, string, string]; row: { outcome: string; seconds: number; id: number; kind: string; place: string; reason: string; note: string; state: string; created_at: Date; decided_at: Date } }
  'moderation.dismiss': { parameters: [string, string, number]; row: { id: number } }
  'moderation.find': { parameters: [number]; row: { id: number; kind: string; subject: string; owner_id: number; place: string; reason: string; note: string; previous: string; hidden_at: Date; hidden_by: number; appeal: string; appealed_at: Date; appeal_decided_at: Date; appeal_answer: string; restored_at: Date; owner_name: string; hidden_by_name: string } }
  'moderation.find_of': { parameters: [string, string]; row: { id: number; kind: string; subject: string; owner_id: number; place: string; reason: string; note: string; previous: string; hidden_at: Date; hidden_by: number; appeal: string; appealed_at: Date; appeal_decided_at: Date; appeal_answer: string; restored_at: Date; owner_name: string; hidden_by_name: string } }
  'moderation.find_own_picture': { parameters: [number]; row: { kind: string; subject: string; owner_id: number; place: string } }
  'moderation.find_profile': { parameters: [number]; row: { kind: string; subject: string; owner_id: number; place: string } }
  'moderation.find_report': { parameters: [number]; row: { id: number; kind: string; place: string; reason: string; note: string; state: string; created_at: Date; decided_at: Date; subject: string; owner_id: number; decided_by: number; reporter: string; owner_name: string } }
  'moderation.find_review': { parameters: [number]; row: { kind: string; subject: string; owner_id: number; place: string } }
  'moderation.has_picture_character': { parameters: [number, string]; row: {} }
  'moderation.has_picture_galgame': { parameters: [number, string]; row: {} }
  'moderation.has_picture_light_novel': { parameters: [number, string]; row: {} }
  'moderation.has_picture_manga': { parameters: [number, string]; row: {} }
  'moderation.has_picture_person': { parameters: [number, string]; row: {} }
  'moderation.has_picture_producer': { parameters: [number, string]; row: {} }
  'moderation.hide': { parameters: [string, string, number, number, string, string, string, number, string, string]; row: { id: number } }
  'moderation.list_all': { parameters: [number, number]; row: { id: number; kind: string; subject: string; owner_id: number; place: string; reason: string; note: string; previous: string; hidden_at: Date; hidden_by: number; appeal: string; appealed_at: Date; appeal_decided_at: Date; appeal_answer: string; restored_at: Date; owner_name: string; hidden_by_name: string } }
  'moderation.list_appeals': { parameters: []; row: { id: number; kind: string; subject: string; owner_id: number; place: string; reason: string; note: string; previous: string; hidden_at: Date; hidden_by: number; appeal: string; appealed_at: Date; appeal_decided_at: Date; appeal_answer: string; restored_at: Date; owner_name: string; hidden_by_name: string } }
  'moderation.list_queue': { parameters: [number, number]; row: { id: number; kind: string; subject: string; place: string; owner_id: number; reports: number; reasons: (string | null)[]; since: Date; owner_name: string } }
  'moderation.list_reports_of': { parameters: [string, string]; row: { id: number; kind: string; place: string; reason: string; note: string; state: string; created_at: Date; decided_at: Date; subject: string; owner_id: number; decided_by: number; reporter: string; owner_name: string } }
  'moderation.others': { parameters: [number]; row: {} }
  'moderation.reject': { parameters: [number, number, string]; row: { id: number } }
  'moderation.reopen': { parameters: [string, string, number]; row: { id: number } }
  'moderation.report_list_own': { parameters: [number, number, number]; row: { id: number; kind: string; place: string; reason: string; note: string; state: string; created_at: Date; decided_at: Date } }
  'moderation.restore': { parameters: [number, number, number, number, string, string, string, Date]; row: { id: number } }
  'moderation.select_texts': { parameters: [readonly (number | null)[]]; row: { id: number; rate_content: string } }
  'moderation.takedown_list_own': { parameters: [number]; row: { id: number; kind: string; subject: string; owner_id: number; place: string; reason: string; note: string; previous: string; hidden_at: Date; hidden_by: number; appeal: string; appealed_at: Date; appeal_decided_at: Date; appeal_answer: string; restored_at: Date; owner_name: string; hidden_by_name: string } }
  'operations.ask': { parameters: []; row: { version: string; bytes: number; connections: number; last_migration: string; pending: unknown } }
  'operations.list_import_times': { parameters: []; row: { source: string; ended_at: Date } }
  'operations.list_keys': { parameters: []; row: { kid: string; alg: string; created_at: Date; signs_from: Date; retired_at: Date } }
  'pictures.find_character': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_galgame': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_galgame_screenshot': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_light_novel': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_light_novel_volume': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_manga': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_manga_volume': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_person': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.find_producer': { parameters: [number, number]; row: { media: unknown; title: string; nsfw: boolean; is_hidden: boolean } }
  'pictures.is_hidden': { parameters: [string]; row: { is_hidden: boolean } }
  'profiles.by_id': { parameters: [number]; row: { account_id: number; display_name: string; picture: string; bio: string; since: Date; is_shown: boolean; name: string; may_be_found: boolean; shows_list: boolean; shows_statistics: boolean; shows_reviews: boolean; shows_collections: boolean } }
  'profiles.by_name': { parameters: [string]; row: { account_id: number; display_name: string; picture: string; bio: string; since: Date; is_shown: boolean; name: string; may_be_found: boolean; shows_list: boolean; shows_statistics: boolean; shows_reviews: boolean; shows_collections: boolean } }
  'profiles.count_names': { parameters: [number]; row: { amount: number } }
  'profiles.lock_account': { parameters: [number]; row: { id: number } }
  'profiles.save': { parameters: [number, boolean, string, boolean, boolean, boolean, boolean, boolean]; row: {} }
  'profiles.select_display_names': { parameters: [readonly (string | null)[], readonly (number | null)[]]; row: { account_id: number; name: string; display_name: string } }
  'profiles.select_indexable': { parameters: [number, number, number]; row: { account_id: number; name: string; updated_at: Date } }
  'profiles.select_keys': { parameters: [readonly (number | null)[]]; row: { account_id: number; name: string } }
  'profiles.select_last_indexable': { parameters: []; row: { last: number } }
  'profiles.select_settings': { parameters: [number]; row: { is_shown: boolean; name: string; may_be_found: boolean; shows_list: boolean; shows_statistics: boolean; shows_reviews: boolean; shows_collections: boolean } }
  'profiles.take_name': { parameters: [number, string, string]; row: { folded: string } }
  'ratings.apply_to_counts': { parameters: [string]; row: {} }
  'ratings.apply_to_kinds': { parameters: [string]; row: {} }
  'ratings.apply_vote_deltas': { parameters: []; row: { taken: number } }
  'ratings.choose': { parameters: [number, string, string, boolean, number]; row: {} }
  'ratings.counts': { parameters: [number, string]; row: { counts: unknown; kind_scores: unknown } }
  'ratings.decades_for_adults': { parameters: [number]; row: { decade: number; amount: number; mean: number } }
  'ratings.decades_for_everyone': { parameters: [number]; row: { decade: number; amount: number; mean: number } }
  'ratings.decades_for_owner': { parameters: [number]; row: { decade: number; amount: number; mean: number } }
  'ratings.delete': { parameters: [number, number, number, number]; row: {} }
  'ratings.delete_one': { parameters: [number, number, string, string]; row: {} }
  'ratings.delete_several': { parameters: [number, readonly (number | null)[], readonly (string | null)[], string]; row: {} }
  'ratings.find_latest_walk': { parameters: [number, string, string, number, number]; row: { id: number; total: number; work_ids: (number | null)[] } }
  'ratings.find_walk': { parameters: [number, string, string, number, number, number]; row: { id: number; total: number; work_ids: (number | null)[] } }
  'ratings.history_count': { parameters: [number, number, string]; row: { total: number } }
  'ratings.history_find': { parameters: [number, readonly (number | null)[]]; row: { id: number; kind: string; work_id: number; action: string; fields: unknown; changed_at: Date; isLatest: boolean } }
  'ratings.history_last': { parameters: [number]; row: { id: number } }
  'ratings.history_later': { parameters: [number, readonly (number | null)[], number]; row: { id: number; kind: string; work_id: number } }
  'ratings.history_list': { parameters: [number, number, string, number, number]; row: { id: number; kind: string; work_id: number; work: unknown; action: string; client_id: string; fields: unknown; changed_at: Date } }
  'ratings.history_range': { parameters: [number, number, number]; row: { id: number; kind: string; work_id: number; action: string; fields: unknown; changed_at: Date; isLatest: boolean } }
  'ratings.import_lock_account': { parameters: [number]; row: { id: number } }
  'ratings.import_lock_ratings': { parameters: [number]; row: { id: number } }
  'ratings.in_progress': { parameters: [boolean, number]; row: { entry: unknown } }
  'ratings.kinds_for_adults': { parameters: [number]; row: { kind: string; amount: number; completed: number; mean: number; minutes: number } }
  'ratings.kinds_for_everyone': { parameters: [number]; row: { kind: string; amount: number; completed: number; mean: number; minutes: number } }
  'ratings.kinds_for_owner': { parameters: [number]; row: { kind: string; amount: number; completed: number; mean: number; minutes: number } }
  'ratings.last_revision': { parameters: []; row: { revision: number } }
  'ratings.library_counts_for_adults': { parameters: [number, string, string]; row: { status: string; amount: number } }
  'ratings.library_counts_for_everyone': { parameters: [number, string, string]; row: { status: string; amount: number } }
  'ratings.library_counts_for_owner': { parameters: [number, string, string]; row: { status: string; amount: number } }
  'ratings.library_for_adults_by_date': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_adults_by_name': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_adults_by_recent': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_adults_by_score': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_everyone_by_date': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_everyone_by_name': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_everyone_by_recent': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_everyone_by_score': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_owner_by_date': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_owner_by_name': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_owner_by_recent': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.library_for_owner_by_score': { parameters: [number, string, string, boolean, string, number, number]; row: { kind: string; work_id: number; work: unknown; year: string; nsfw: boolean; status: string; rate: number; status_private: boolean; has_review: boolean; updated_at: Date } }
  'ratings.list_changed': { parameters: [number]; row: { id: number; kind: string; revision: number } }
  'ratings.list_galgame_reviews_by_newest': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_galgame_reviews_by_score': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_galgame_reviews_by_top': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_light_novel_reviews_by_newest': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_light_novel_reviews_by_score': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_light_novel_reviews_by_top': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_manga_reviews_by_newest': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_manga_reviews_by_score': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_manga_reviews_by_top': { parameters: [number, string, number, number, boolean, string]; row: { nsfw: boolean; total: number; items: unknown } }
  'ratings.list_ratings_of': { parameters: [number, readonly (number | null)[]]; row: { items: string; item_count: number } }
  'ratings.locate': { parameters: [number]; row: { authorId: number; workId: number } }
  'ratings.lock_changed': { parameters: [number, readonly (number | null)[]]; row: { id: number } }
  'ratings.lock_user': { parameters: [number]; row: { id: number } }
  'ratings.lock_work': { parameters: [number, string]; row: { id: number } }
  'ratings.match': { parameters: [string]; row: { row: number; workId: number; kind: string } }
  'ratings.months_for_adults': { parameters: [number]; row: { month: string; amount: number } }
  'ratings.months_for_everyone': { parameters: [number]; row: { month: string; amount: number } }
  'ratings.months_for_owner': { parameters: [number]; row: { month: string; amount: number } }
  'ratings.next': { parameters: [number, number, number]; row: { kind: string; work_id: number; work: unknown; id: number; created_at: Date; updated_at: Date; like_count: number; dislike_count: number; is_spoiler: boolean; rate: number; rate_character: number; rate_illustration: number; rate_pacing: number; rate_plot: number; rate_worldview: number; rate_writing: number; rate_scenario: number; rate_direction: number; rate_music: number; rate_visual: number; rate_system: number; rate_content: string; status: string; status_private: boolean; time_to_finish_minutes: number; external_ids: unknown } }
  'ratings.own_find': { parameters: [number, number, string]; row: { id: number; created_at: Date; updated_at: Date; like_count: number; dislike_count: number; is_spoiler: boolean; rate: number; rate_character: number; rate_illustration: number; rate_pacing: number; rate_plot: number; rate_worldview: number; rate_writing: number; rate_scenario: number; rate_direction: number; rate_music: number; rate_visual: number; rate_system: number; rate_content: string; status: string; status_private: boolean; time_to_finish_minutes: number } }
  'ratings.people_for_adults': { parameters: [number]; row: { id: number; name: string; trans_name: string; amount: number; mean: number } }
  'ratings.people_for_everyone': { parameters: [number]; row: { id: number; name: string; trans_name: string; amount: number; mean: number } }
  'ratings.people_for_owner': { parameters: [number]; row: { id: number; name: string; trans_name: string; amount: number; mean: number } }
  'ratings.planned': { parameters: [number, boolean, number]; row: { entry: unknown } }
  'ratings.publish': { parameters: [string]; row: {} }
  'ratings.save': { parameters: [number, number, number, number, boolean]; row: { is_own: boolean; rating_id: number; vote: string; created_at: Date; updated_at: Date } }
  'ratings.save_all': { parameters: [number, string, string]; row: { saved: number } }
  'ratings.save_all_of_galgame': { parameters: [number, number, string, string, number, boolean, number, number, number, number, number, number, number, string, string, boolean, number]; row: { record: string } }
  'ratings.save_all_of_light_novel': { parameters: [number, number, string, string, number, boolean, number, number, number, number, number, number, number, string, string, boolean, number]; row: { record: string } }
  'ratings.save_all_of_manga': { parameters: [number, number, string, string, number, boolean, number, string, string, boolean]; row: { record: string } }
  'ratings.save_common_of_galgame': { parameters: [number, number, string, string, number, number, string]; row: { record: string } }
  'ratings.save_common_of_light_novel': { parameters: [number, number, string, string, number, number, string]; row: { record: string } }
  'ratings.save_common_of_manga': { parameters: [number, number, string, string, number, number, string]; row: { record: string } }
  'ratings.scores_for_adults': { parameters: [number]; row: { score: number; amount: number } }
  'ratings.scores_for_everyone': { parameters: [number]; row: { score: number; amount: number } }
  'ratings.scores_for_owner': { parameters: [number]; row: { score: number; amount: number } }
  'ratings.start_walk': { parameters: [number, string, string, boolean, string, string, number, number]; row: { id: number; total: number; work_ids: (number | null)[] } }
  'ratings.statuses': { parameters: [number, readonly (number | null)[]]; row: { work_id: number; status: string } }
  'ratings.stored': { parameters: [number, readonly (number | null)[]]; row: { work_id: number; is_spoiler: boolean; rate: number; rate_character: number; rate_illustration: number; rate_pacing: number; rate_plot: number; rate_worldview: number; rate_writing: number; rate_scenario: number; rate_direction: number; rate_music: number; rate_visual: number; rate_system: number; rate_content: string; status: string; status_private: boolean; time_to_finish_minutes: number } }
  'ratings.stored_import_complete': { parameters: [number, string, number, number]; row: {} }
  'ratings.stored_import_delete': { parameters: [number, string]; row: {} }
  'ratings.stored_import_find': { parameters: [number, string]; row: { id: string; source: string; file: Uint8Array; chosen: unknown; counts: unknown; undone: unknown; expires_at: Date } }
  'ratings.stored_import_lock': { parameters: [number]; row: { id: string; counts: unknown; undone: unknown; first_change: number; last_change: number } }
  'ratings.stored_import_save': { parameters: [number, string, string, Uint8Array]; row: {} }
  'ratings.stored_import_save_undo': { parameters: [number, string]; row: {} }
  'ratings.tags_for_adults': { parameters: [number]; row: { name: string; amount: number; mean: number } }
  'ratings.tags_for_everyone': { parameters: [number]; row: { name: string; amount: number; mean: number } }
  'ratings.tags_for_owner': { parameters: [number]; row: { name: string; amount: number; mean: number } }
  'ratings.take_deltas': { parameters: []; row: { taken: number; changes: string } }
  'ratings.texts': { parameters: [number]; row: { text: string } }
  'ratings.try_lock': { parameters: []; row: { taken: boolean; set_config: string } }
  'ratings.user_reviews_count': { parameters: [number, boolean]; row: { total: number } }
  'ratings.user_reviews_list': { parameters: [number, boolean, boolean, number, number]; row: { id: number; kind: string; work_id: number; status: string; rate: number; rate_content: string; is_spoiler: boolean; like_count: number; dislike_count: number; created_at: Date; updated_at: Date; work: unknown } }
  'ratings.version': { parameters: [number, string]; row: { version: string } }
  'ratings.vote_find': { parameters: [number, number, number, number]; row: { rating_id: number; vote: string; created_at: Date; updated_at: Date } }
  'ratings.work_ref': { parameters: [number, string]; row: { work: unknown; nsfw: boolean } }
  'search.add_credited': { parameters: []; row: {} }
  'search.add_key': { parameters: []; row: {} }
  'search.alike': { parameters: [readonly (string | null)[], readonly (number | null)[], readonly (number | null)[]]; row: { place: number; word: string } }
  'search.analyze_touched': { parameters: []; row: {} }
  'search.as_long_as_it_takes': { parameters: []; row: {} }
  'search.begin': { parameters: []; row: { name: string } }
  'search.by_isbn': { parameters: [readonly (number | null)[], readonly (number | null)[], string]; row: { section: number; id: number } }
  'search.by_source': { parameters: [string, string, readonly (string | null)[]]; row: { kind: string; id: number } }
  'search.count': { parameters: [string, string, number]; row: { total: number } }
  'search.count_touched': { parameters: []; row: { entries: number } }
  'search.credited': { parameters: [readonly (number | null)[]]; row: { ids: (number | null)[] } }
  'search.drop_touched': { parameters: []; row: {} }
  'search.due': { parameters: [number]; row: { kind: string; id: number } }
  'search.end': { parameters: []; row: {} }
  'search.exists': { parameters: []; row: { rebuilding: boolean } }
  'search.find': { parameters: [string, string, number]; row: { place: number; candidates: number; ids: string; readers: string; levels: string } }
  'search.follow_move': { parameters: [number]; row: {} }
  'search.forget': { parameters: [readonly (number | null)[], number, number, readonly (number | null)[]]; row: {} }
  'search.forget_buckets': { parameters: []; row: {} }
  'search.forget_words': { parameters: []; row: {} }
  'search.frequencies': { parameters: []; row: { entries: number; grams: string; shares: (number | null)[] } }
  'search.make_credited': { parameters: []; row: {} }
  'search.new_words': { parameters: [readonly (string | null)[]]; row: { word: string } }
  'search.next': { parameters: []; row: { id: number; kind: string; resource_id: number } }
  'search.next_ids_of_character': { parameters: [number]; row: { id: number } }
  'search.next_ids_of_galgame': { parameters: [number]; row: { id: number } }
  'search.next_ids_of_light_novel': { parameters: [number]; row: { id: number } }
  'search.next_ids_of_manga': { parameters: [number]; row: { id: number } }
  'search.next_ids_of_person': { parameters: [number]; row: { id: number } }
  'search.next_ids_of_producer': { parameters: [number]; row: { id: number } }
  'search.next_touched': { parameters: [string, number]; row: { id: number } }
  'search.position': { parameters: []; row: { kind: number; id: number } }
  'search.progress': { parameters: []; row: { whole: number; done: number } }
  'search.read_names_of_character': { parameters: [readonly (number | null)[]]; row: { id: number; nsfw: boolean; readers: number; titles: (string | null)[]; chinese: (string | null)[]; aliases: (string | null)[]; isbns: (string | null)[]; hash: string } }
  'search.read_names_of_galgame': { parameters: [readonly (number | null)[]]; row: { id: number; nsfw: boolean; readers: number; titles: (string | null)[]; chinese: (string | null)[]; aliases: (string | null)[]; isbns: (string | null)[]; hash: string } }
  'search.read_names_of_light_novel': { parameters: [readonly (number | null)[]]; row: { id: number; nsfw: boolean; readers: number; titles: (string | null)[]; chinese: (string | null)[]; aliases: (string | null)[]; isbns: (string | null)[]; hash: string } }
  'search.read_names_of_manga': { parameters: [readonly (number | null)[]]; row: { id: number; nsfw: boolean; readers: number; titles: (string | null)[]; chinese: (string | null)[]; aliases: (string | null)[]; isbns: (string | null)[]; hash: string } }
  'search.read_names_of_person': { parameters: [readonly (number | null)[]]; row: { id: number; nsfw: boolean; readers: number; titles: (string | null)[]; chinese: (string | null)[]; aliases: (string | null)[]; isbns: (string | null)[]; hash: string } }
  'search.read_names_of_producer': { parameters: [readonly (number | null)[]]; row: { id: number; nsfw: boolean; readers: number; titles: (string | null)[]; chinese: (string | null)[]; aliases: (string | null)[]; isbns: (string | null)[]; hash: string } }
  'search.readers': { parameters: [readonly (string | null)[], readonly (number | null)[], readonly (string | null)[], readonly (number | null)[]]; row: { section: number; id: number; was: number; readers: number } }
  'search.rebuild_move': { parameters: [number, number]; row: {} }
  'search.save': { parameters: [readonly (number | null)[], readonly (number | null)[], readonly (number | null)[], readonly (string | null)[], readonly (string | null)[], readonly (string | null)[], readonly (number | null)[], readonly (string | null)[], readonly (number | null)[], readonly (number | null)[], readonly (number | null)[], readonly (number | null)[]]; row: {} }
  'search.save_readers': { parameters: [readonly (number | null)[], readonly (number | null)[], readonly (number | null)[], readonly (number | null)[], readonly (number | null)[], readonly (number | null)[]]; row: {} }
  'search.save_words': { parameters: [readonly (string | null)[], readonly (string | null)[]]; row: {} }
  'search.section_of': { parameters: [readonly (number | null)[], readonly (number | null)[]]; row: { section: number; id: number } }
  'search.show': { parameters: [string, boolean]; row: { place: number; hit: string; producer_type: string } }
  'search.touched': { parameters: []; row: {} }
  'search.unchanged': { parameters: [readonly (number | null)[], readonly (number | null)[], readonly (string | null)[], readonly (number | null)[]]; row: { id: number } }
  'search.walk': { parameters: [string, string, number, number]; row: { section: number; id: number; readers: number; level: number } }
  'search.write_many': { parameters: []; row: { set_config: string } }
  'similar.compute': { parameters: [readonly (number | null)[], number]; row: {} }
  'similar.count_works': { parameters: []; row: { works: number } }
  'similar.follow_likes': { parameters: []; row: { taken: number } }
  'similar.next': { parameters: [number]; row: { work_id: number } }
  'similar.next_changes': { parameters: []; row: { id: number; is_work: boolean; resource_id: number } }
  'similar.postpone': { parameters: [number]; row: {} }
  'similar.profile': { parameters: [readonly (number | null)[], number]; row: {} }
  'similar.refresh_old': { parameters: []; row: {} }
  'similar.similar': { parameters: [number, string, readonly (string | null)[], boolean]; row: { nsfw: boolean; data: string } }
  'similar.try_lock': { parameters: []; row: { taken: boolean; set_config: string } }
  'uploads.count': { parameters: [number, string]; row: { amount: number } }
  'uploads.delete_one': { parameters: [number, string]; row: {} }
  'uploads.delete_unused': { parameters: [number]; row: {} }
  'uploads.find': { parameters: [string]; row: { bytes: Uint8Array } }
  'uploads.insert': { parameters: [number, string, Uint8Array]; row: { hash: string } }
  'uploads.lock_account': { parameters: [number]; row: {} }
}

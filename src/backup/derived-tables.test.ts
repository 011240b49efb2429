import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it, describe } from 'node:test'
import { DERIVED_TABLES } from './derived-tables.ts'

/** Tables whose content comes from users, operators, apps or sources. A backup contains them. */
const SAVED = new Set(
  `account_refs accounts announcements app_endpoint_usage app_usage apps attempts audit_events bangumi_pictures catalog_changes catalog_changes_due
   characters collection_items collections consents deleted_collections denied_document_hosts entry_merges favorites follows form_drafts galgame_character_actors
   galgame_characters galgame_producers galgame_relations galgame_staff galgames grants import_checksums import_runs invitations
   installation joined_volumes kind_ratings known_devices light_novel_characters light_novel_people light_novel_producers
   light_novel_volumes light_novels like_notes links list_imports mails manga_characters manga_people manga_producers
   manga_volumes mangas matches merged_entries merged_favorites merged_items merged_progress merged_ratings merged_votes notification_settings oidc_records passkey_challenges
   passkeys people personal_tokens private_feeds producers profile_names progress public_profiles rating_changes rating_counts rating_deltas rating_walks ratings
   reader_preferences record_names recovery_codes refused_requests removed_items reports review_votes sessions
   signing_keys source_records source_same_as tags takedowns trusted_browsers uploads upstream_flows upstream_identities
   vote_deltas withdrawals
   webhook_deliveries webhook_endpoints
   withdrawn_records withdrawn_works work_likes work_ratings work_refs work_totals works`.split(
    /\s+/,
  ),
)

describe('the list of tables in a backup', () => {
  it('contains all tables except the derived ones', () => {
    const schema = readFileSync(new URL('../../docs/schema.sql', import.meta.url), 'utf8')
    const tables = [...schema.matchAll(/^CREATE TABLE (\w+) \(/gm)].map(([, name = '']) => name)
    const derived = Object.keys(DERIVED_TABLES)
    assert.deepEqual(tables.toSorted(), [...SAVED, ...derived].toSorted())
  })
})

import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { SignJWT, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import type { Database } from '../../src/db/database.ts'
import { listSigningKeys } from '../../src/identity/tokens/keys.ts'
import { ALL_SCOPES, createClient, createUser, obtainTokens } from '#test/authorization.ts'
import { createCollectionOwner, pickSampleWorks } from '#test/collections.ts'
import { createDeveloper } from '#test/developer.ts'
import { writeRating } from '#test/ratings.ts'
import type { TestService } from '#test/service.ts'
import { sendApiRequest, signIn } from '#test/user-api.ts'
import type { Access } from './fixture.ts'

/** Expiry of sessions and tokens: 2100-01-01, in seconds. */
const FAR_FUTURE = 4_102_444_800

const REVIEW = 'Worth reading twice. 二度読む価値がある。'

/** Rows that the running service has written, and those that it writes only in rare states. */
type Filled = Access & { ids: Ids }

type Ids = { user: number; other: number; collection: number; galgame: number; novel: number }

/**
 * Writes data of every kind through a service whose database has the sample. Call `addRareRows` after the service has
 * been closed.
 */
export async function fillDatabase(service: TestService): Promise<Filled> {
  const { galgame, secondGalgame, lightNovel, manga } = await pickSampleWorks(service.db)
  const user = await createUser(service, 'Nagisa')
  const app = await createClient(service)
  const tokens = await obtainTokens(service, {
    app,
    user,
    scope: ['openid', 'offline_access', ...ALL_SCOPES].join(' '),
    prompt: 'consent',
  })
  const send = async (method: string, path: string, body?: object) => {
    const sent = { token: tokens.access_token, method, path: `/v3/user/me/${path}`, body }
    const { status, text, data } = await sendApiRequest(service.url, sent)
    assert.ok(status < 300, `${method} ${path}: ${text}`)
    return data
  }
  const review = { status: 'COMPLETED', rate: 9, rate_content: REVIEW }
  await send('PUT', `rates/galgames/${galgame}`, review)
  await send('PUT', `rates/galgames/${galgame}`, { rate: 8 })
  await send('PUT', `rates/galgames/${secondGalgame}`, { status: 'PLAN' })
  await send('PUT', `rates/light-novels/${lightNovel}`, { status: 'GOING', rate: 7 })
  await send('PUT', `rates/mangas/${manga}`, { status: 'DROPPED', rate: 2 })
  await send('PUT', `progress/light-novels/${lightNovel}`, { volumes_read: 2, labels: ['lent'] })
  await send('GET', 'rates?page_size=1&cursor=')

  const other = await signIn(service)
  const { data: rating } = await other.send('PUT', `/v3/user/me/rates/galgames/${galgame}`, review)
  await send('PUT', `reviews/${rating.id}/vote`, { vote: 'LIKE' })
  await send('POST', 'reports', { kind: 'REVIEW', id: rating.id, reason: 'SPOILER' })

  const owner = await createCollectionOwner(service, { user })
  const { id: collection } = await owner.create({ name: 'Favorites' })
  await owner.put(collection, `galgames/${galgame}`, { note: 'First.' })
  await owner.put(collection, `light-novels/${lightNovel}`)
  await owner.send('DELETE', `/${collection}/items/light-novels/${lightNovel}`)
  const { id: deleted } = await owner.create({ name: 'Old' })
  await owner.send('DELETE', `/${deleted}`)

  const developer = await createDeveloper(service)
  await developer.create({ client_name: 'Launcher', redirect_uris: ['https://a.example/back'] })

  await extendLifetimes(service.db)
  const { secretKey = '', authUrl } = service.config
  return {
    ids: { user: user.id, other: other.user.id, collection, galgame, novel: lightNovel },
    secret_key: secretKey,
    auth_url: authUrl,
    user: { email: user.email, password: user.password },
    app: { client_id: app.clientId, secret: app.secret },
    access_token: await extendToken(service, tokens.access_token),
    refresh_token: tokens.refresh_token ?? '',
    cookies: tokens.browser.cookies(),
    rated: { path: `galgames/${galgame}`, review: REVIEW },
  }
}

/** Extends sessions, grants and tokens, so that a fixture does not depend on the time at which it is used. */
async function extendLifetimes(db: Database) {
  for (const table of ['sessions', 'grants', 'oidc_records'])
    await sql`
      update ${sql.table(table)}
      set
        expires_at = to_timestamp(${FAR_FUTURE}::bigint),
        payload = jsonb_set(payload::jsonb, '{exp}', to_jsonb(${FAR_FUTURE}::bigint))::text`.execute(
      db,
    )
}

/** Signs the claims of an access token again, with another expiry. */
async function extendToken({ db, config }: TestService, token: string): Promise<string> {
  const { kid, alg, ...header } = decodeProtectedHeader(token)
  const key = (await listSigningKeys(db, config.secretKey)).find((found) => found.kid === kid)
  assert.ok(key && alg !== undefined)
  return new SignJWT({ ...decodeJwt(token), exp: FAR_FUTURE })
    .setProtectedHeader({ ...header, kid: key.kid, alg })
    .sign(await importJWK(key.privateJwk, alg))
}

/**
 * Adds rows to the tables that are filled only in rare states: by merges, moderation, imports, or for the moment until
 * a task has processed them.
 */
export async function addRareRows(db: Database, ids: Ids) {
  await sql.raw(rareRows(ids)).execute(db)
  await writeRating(db, ids.other, { id: ids.novel, kind: 'light_novel' }, { rate: 5 })
}

const HASH = 'A'.repeat(43)

const rareRows = ({ user, other, collection, galgame, novel }: Ids) => `
  insert into reader_preferences (account_id, shows_nsfw, of_age_stated_at, language, time_zone)
    values (${user}, true, now(), 'ja', 'Asia/Tokyo') on conflict do nothing;
  insert into public_profiles (account_id, is_shown, name, shows_list) values (${user}, true, 'nagisa', true);
  insert into profile_names (folded, name, account_id) values ('nagisa', 'nagisa', ${user});
  insert into announcements (texts) values ('{"en": "Closed on Sunday"}');
  insert into invitations (code_hash, uses, created_by, expires_at) values ('${HASH}', 2, ${user}, '2100-01-01');
  insert into upstream_identities (issuer, subject, account_id, email)
    values ('https://provider.example', 'nagisa', ${user}, 'nagisa@provider.example');
  insert into upstream_flows (token_hash, provider, browser_hash, invitation_id, expires_at)
    values ('${HASH}', 'example', '${HASH}', (select min(id) from invitations), '2100-01-01');
  insert into passkeys (credential_id, account_id, name, public_key) values ('Y3JlZA', ${user}, 'Phone', 'a2V5');
  insert into personal_tokens (account_id, slot, token_hash, name, scopes)
    values (${user}, 1, '${HASH}', 'Script', '["status:read"]');
  insert into private_feeds (account_id, secret_hash) values (${user}, '${HASH}');
  insert into webhook_endpoints (client_id, url, events, secret, feed_id)
    values ((select min(client_id) from apps), 'https://app.example.org/', '["app.revoked"]', 'whsec_AAAA', 0);
  insert into webhook_deliveries (endpoint_id, event, data, next_attempt_at)
    select id, 'webhook.test', '{}', null from webhook_endpoints;
  insert into denied_document_hosts (host) values ('agents.example.org');
  insert into passkey_challenges (challenge_hash, purpose, expires_at) values ('${HASH}', 'sign_in', now());
  insert into recovery_codes (account_id, code_hash) values (${user}, '${HASH}');
  insert into trusted_browsers (token_hash, account_id, expires_at) values ('${HASH}', ${user}, '2100-01-01');
  insert into attempts (key, tries) values ('sign-in 192.0.2.1', 3) on conflict do nothing;
  insert into form_drafts (token_hash, sender, path, fields, expires_at)
    values ('${HASH}', 'account ${user}', '/account', '{"name": "Nagisa"}', '2100-01-01');
  insert into mails (kind, email, language, failed_at) values ('new_device', 'gone@example.org', 'ko', now());
  insert into uploads (account_id, hash, bytes) values (${user}, '${HASH}', '\\x00ff5c0a');
  insert into stray_objects (name, due_at) values ('uploads/${HASH}', '2100-01-01');
  insert into list_imports (account_id, id, source, counts, expires_at)
    values (${user}, 'import', 'vndb', '{"new": 1}', '2100-01-01');
  insert into rating_walks (account_id, client_id, filter, work_ids)
    values (${user}, 'mk_app', '{}', '{${galgame},${novel}}');
  insert into takedowns (kind, subject, owner_id, place, reason, note, hidden_by, restored_at)
    values ('PROFILE', '${other}', ${other}, 'nagisa', 'OTHER', 'A note.', ${user}, now());
  insert into withdrawals (kind, subject, expires_at) values ('token', 'jti', '2100-01-01');
  insert into refused_requests (client_id, at, request_id, endpoint, status, code, reason, coded_reason, sent)
    select client_id, now(), 'request', 'POST /oidc/token', 400, 'invalid_grant', 'Expired.', '[{"code": "x"}]', '{}'
    from apps order by created_at limit 1;
  insert into vote_deltas (account_id, rating_id, likes, dislikes) values (${user}, 1, 0, 0);
  insert into like_notes (account_id, work_id, liked) values (${user}, ${galgame}, true);
  insert into work_likes (work_id, likes) values (${novel}, 0) on conflict do nothing;
  insert into merged_entries (kind, id, merged_into) values ('galgame', 900000001, ${galgame});
  insert into entry_merges (kind, from_id, into_id, rule, records, entry)
    values ('galgame', 900000001, ${galgame}, 'operator', '[]', '{}');
  insert into merged_ratings (account_id, merge_id, from_rating, history) values (${user}, 1, '{"rate": 1}', '{1,2}');
  insert into merged_progress (account_id, merge_id, from_progress, left_progress) values (${user}, 1, '{}', '{}');
  insert into merged_favorites (account_id, merge_id, position, is_removed) values (${user}, 1, 1, true);
  insert into favorites (account_id, position, work_id, kind) values (${user}, 1, ${galgame}, 'galgame');
  insert into follows (account_id, followed_id) values (${user}, ${other});
  insert into notification_settings (account_id, read_until) values (${user}, now());
  insert into merged_votes (account_id, merge_id, voter_id, rating_id, liked, created_at, updated_at)
    values (${user}, 1, ${other}, 1, true, now(), now());
  insert into merged_items (account_id, merge_id, collection_id, from_item, left_item)
    values (${user}, 1, ${collection}, '{}', '{}');
  insert into withdrawn_records (source, kind, external_id, entry_id, fields, links)
    values ('vndb', 'galgame', 'v900000001', 900000001, '{"name": "Gone"}', '[]');
  insert into works (id, kind) overriding system value values (900000002, 'manga');
  insert into work_refs (id, kind, withdrawn) values (900000002, 'manga', true);
  insert into withdrawn_works (id, kind, name, covers) values (900000002, 'manga', 'Gone', '[]');
  insert into joined_volumes (source, external_id, own_id) values ('ranobedb', '900000001', ${novel});
  insert into bangumi_pictures (kind, id, path) values ('subject', 1, '/l/a.jpg');
  insert into import_checksums (source, checksum, kinds, remarks) values ('vndb', 'sum', '[]', '[]')
    on conflict do nothing;
  insert into catalog_changes_due (resource_type, resource_id, was_shown) values ('galgame', ${galgame}, true);
  insert into search_readers_due (kind, id) values ('galgame', ${galgame}) on conflict do nothing;
  insert into listing_sums_due (kind, id) values ('galgame', ${galgame}) on conflict do nothing;
  insert into similar_due (work_id, since, spreads) values (${galgame}, now(), true) on conflict do nothing;`

/** Lists tables without rows. */
export async function listEmptyTables(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db)
  const empty: string[] = []
  for (const { name } of rows) {
    const found = await sql`select from ${sql.table(name)} limit 1`.execute(db)
    if (found.rows.length === 0) empty.push(name)
  }
  return empty
}

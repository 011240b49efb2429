import { byKind, ENTRY_KINDS, KINDS, type EntryKind } from '../catalog/kinds.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { HIDDEN_KINDS, type SubjectKind } from './reasons.ts'

/** Reported content, as the client identifies it. */
export type SubjectReference =
  | { kind: 'REVIEW'; id: number }
  | { kind: 'PROFILE'; id: number }
  /** A picture of an entry is identified by its URL at the source. A `profile` has only one picture. */
  | { kind: 'PICTURE'; type: EntryKind; id: number; url: string }
  | { kind: 'PICTURE'; type: 'profile'; id: number }
  | { kind: 'ENTRY'; type: EntryKind; id: number }

/** Reported or hidden content, as stored. */
export type Subject = {
  kind: SubjectKind
  subject: string
  /** Owner of the content; null if it comes from a source. */
  owner_id: number | null
  /** Path of the page that shows the content. */
  place: string
}

export type HideableSubject = Subject & { kind: (typeof HIDDEN_KINDS)[number] }

/** Whether moderators can hide the content. */
export const isHideable = <Item extends { kind: SubjectKind }>(
  about: Item,
): about is Item & Pick<HideableSubject, 'kind'> => HIDDEN_KINDS.some((kind) => kind === about.kind)

/**
 * SQL for the subject of an account's picture. It includes the picture's URL, because the owner may replace the
 * picture. Long URLs are hashed.
 */
export const pictureSubject = (account: string, picture: string) =>
  `'account:' || ${account} || ' ' || case when char_length(${picture}) > 1900 then md5(${picture}) else ${picture} end`

/** Returns the path of an uploaded picture from the subject of a report. */
export const uploadPathIn = (subject: string): string | undefined =>
  /^account:\d+ (\/uploads\/\S+)$/.exec(subject)?.[1]

const works = Object.entries(KINDS)
  .map(([kind, { path }]) => `when '${kind}' then '/${path}/'`)
  .join(' ')

const FIND_REVIEW = statement('moderation.find_review').returning<Subject>(`
  select
    'REVIEW' as kind, rating.id::text as subject, rating.account_id as owner_id,
    case rating.kind ${works} end || rating.work_id || '/reviews/' || rating.id as place
  from ratings rating
  where rating.id = $1 and rating.rate_content <> '' and not rating.status_private and not rating.hidden`)

const FIND_PROFILE = statement('moderation.find_profile').returning<Subject>(`
  select
    'PROFILE' as kind, account.id::text as subject, account.id as owner_id,
    '/u/' || coalesce(profile.name, account.id::text) as place
  from accounts account
  join public_profiles profile on profile.account_id = account.id
  where account.id = $1 and profile.is_shown and not profile.is_withheld and account.banned_at is null
    and account.deletion_requested_at is null`)

const FIND_OWN_PICTURE = statement('moderation.find_own_picture').returning<Subject>(`
  select
    'PICTURE' as kind, ${pictureSubject('account.id', 'account.picture')} as subject, account.id as owner_id,
    case when profile.is_shown then '/u/' || coalesce(profile.name, account.id::text) else '/desk/accounts/' || account.id end as place
  from accounts account
  left join public_profiles profile on profile.account_id = account.id
  where account.id = $1 and account.picture is not null and account.banned_at is null
    and account.deletion_requested_at is null`)

/** SQL that returns a row if the entry `$1` has a picture with the URL `$2`. */
const PICTURES: Record<EntryKind, string> = {
  galgame: `select from galgames where id = $1
    and (covers @> ${subjectsOfUrlSql('array')} or images @> ${subjectsOfUrlSql('array')})`,
  light_novel: `select from light_novels where id = $1
    and (covers @> ${subjectsOfUrlSql('array')}
      or exists (select from light_novel_volumes where light_novel_id = $1 and covers @> ${subjectsOfUrlSql('array')}))`,
  manga: `select from mangas where id = $1
    and (covers @> ${subjectsOfUrlSql('array')}
      or exists (select from manga_volumes where manga_id = $1 and cover @> ${subjectsOfUrlSql('object')}))`,
  person: `select from people where id = $1 and image @> ${subjectsOfUrlSql('object')}`,
  producer: `select from producers where id = $1 and logo @> ${subjectsOfUrlSql('object')}`,
  character: `select from characters where id = $1 and image @> ${subjectsOfUrlSql('object')}`,
}
const HAS_PICTURE = byKind((kind) =>
  statement(`moderation.has_picture_${kind}`).sql(PICTURES[kind]),
)

const HAS_ENTRY = byKind((kind) =>
  statement(`moderation.has_entry_${kind}`).sql(`select from ${KINDS[kind].table} where id = $1`),
)

function subjectsOfUrlSql(shape: 'array' | 'object') {
  const media = `jsonb_build_object('url', $2::text)`
  return shape === 'array' ? `jsonb_build_array(${media})` : media
}

/** Returns the subject of a report, or undefined if the content is not publicly visible. */
export function findSubject(
  db: Database,
  named: Exclude<SubjectReference, { kind: 'ENTRY' }>,
): Promise<HideableSubject | undefined>
export function findSubject(db: Database, named: SubjectReference): Promise<Subject | undefined>
export async function findSubject(
  db: Database,
  named: SubjectReference,
): Promise<Subject | undefined> {
  if (named.kind === 'ENTRY') {
    const found = await queryRows(db, HAS_ENTRY[named.type], [named.id])
    if (found.length === 0) return undefined
    const subject = `${KINDS[named.type].path}/${named.id}`
    return { kind: 'ENTRY', subject, owner_id: null, place: `/${subject}` }
  }
  if (named.kind === 'PICTURE' && named.type !== 'profile') {
    const { type, id, url } = named
    const found = await queryRows(db, HAS_PICTURE[type], [id, url])
    if (found.length === 0) return undefined
    return { kind: 'PICTURE', subject: url, owner_id: null, place: `/${KINDS[type].path}/${id}` }
  }
  const find = { REVIEW: FIND_REVIEW, PROFILE: FIND_PROFILE, PICTURE: FIND_OWN_PICTURE }[named.kind]
  const found = await queryRow(db, find, [named.id])
  return found
}

/** Parses the path of an entry, such as `galgames/42`. */
export function parseEntryPath(text: string): { type: EntryKind; id: number } | undefined {
  const [, path, id] = /^([a-z-]+)\/([1-9]\d{0,14})$/.exec(text) ?? []
  const type = ENTRY_KINDS.find((kind) => KINDS[kind].path === path)
  return type && { type, id: Number(id) }
}

const SELECT_TEXTS = statement('moderation.select_texts').returning<{
  id: number
  rate_content: string
}>('select id, rate_content from ratings where id = any($1::bigint[])')

/** Returns the text of reviews, keyed by rating id, including hidden ones, for moderators. */
export async function findReviewTexts(
  db: Database,
  ratingIds: number[],
): Promise<Map<number, string>> {
  if (ratingIds.length === 0) return new Map()
  const rows = await queryRows(db, SELECT_TEXTS, [ratingIds])
  return new Map(rows.map(({ id, rate_content: text }) => [id, text]))
}

import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { PictureMedia } from './picture.ts'
import type { PictureKind } from './picture-kinds.ts'

export type FoundPicture = {
  media: PictureMedia
  /** Title of the entry or part. */
  title: string
  /** Whether the picture belongs to an adult work. */
  nsfw: boolean
  /** Whether a moderator has hidden the picture. */
  is_hidden: boolean
}

/** SQL: a URL without its query and fragment, which sources ignore. */
const withoutQuery = (url: string) => `split_part(split_part(${url}, '#', 1), '?', 1)`

const isHidden = (media: string) => `exists (
    select from takedowns takedown
    where takedown.kind = 'PICTURE' and takedown.restored_at is null
      and ${withoutQuery('takedown.subject')} = ${withoutQuery(`(${media}) ->> 'url'`)}
  ) as is_hidden`

const ofList = (kind: PictureKind, list: string, title: string, from: string) =>
  statement(`pictures.find_${kind}`).returning<FoundPicture>(`
  select ${list} -> $2::integer as media, ${title} as title, work.nsfw, ${isHidden(`${list} -> $2::integer`)}
  from ${from}
  where ${from.split(' ')[0]}.id = $1 and jsonb_typeof(${list} -> $2::integer) = 'object'`)

const ofOne = (kind: PictureKind, image: string, table: string) =>
  statement(`pictures.find_${kind}`).returning<FoundPicture>(`
  select ${image} as media, name as title, false as nsfw, ${isHidden(image)}
  from ${table}
  where id = $1 and $2::integer = 0 and jsonb_typeof(${image}) = 'object'`)

/** Selects picture `$2` of the entry or part with id `$1`. */
const STATEMENTS: Record<PictureKind, ReturnType<typeof ofOne>> = {
  galgame: ofList(
    'galgame',
    'galgames.covers',
    'origin_title',
    'galgames join works work using (id)',
  ),
  galgame_screenshot: ofList(
    'galgame_screenshot',
    'galgames.images',
    'origin_title',
    'galgames join works work using (id)',
  ),
  light_novel: ofList(
    'light_novel',
    'light_novels.covers',
    'name',
    'light_novels join works work using (id)',
  ),
  manga: ofList('manga', 'mangas.covers', 'name', 'mangas join works work using (id)'),
  light_novel_volume: ofList(
    'light_novel_volume',
    'light_novel_volumes.covers',
    `coalesce(name, '')`,
    'light_novel_volumes join works work on work.id = light_novel_id',
  ),
  manga_volume: ofList(
    'manga_volume',
    'jsonb_build_array(manga_volumes.cover)',
    `coalesce(name, '')`,
    'manga_volumes join works work on work.id = manga_id',
  ),
  person: ofOne('person', 'image', 'people'),
  producer: ofOne('producer', 'logo', 'producers'),
  character: ofOne('character', 'image', 'characters'),
}

const IS_HIDDEN = statement('pictures.is_hidden').returning<{ is_hidden: boolean }>(
  `select ${isHidden('media')} from (select jsonb_build_object('url', $1::text) as media) named`,
)

/** Whether a moderator has hidden the picture at a source's URL. */
export async function isPictureHidden(db: Database, url: string): Promise<boolean> {
  const [row] = await queryRows(db, IS_HIDDEN, [url])
  return row?.is_hidden === true
}

export async function findPicture(
  db: Database,
  kind: PictureKind,
  id: number,
  index: number,
): Promise<FoundPicture | undefined> {
  const [found] = await queryRows(db, STATEMENTS[kind], [id, index])
  return found
}

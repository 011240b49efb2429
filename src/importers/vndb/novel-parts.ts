import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { GroupStream } from '../row-streams.ts'
import { type FrontRow, type Pictures, toFronts } from './covers.ts'
import { type Extlink, toExtlinks } from './extlinks.ts'
import type { CastRow, NovelRelationRow, StaffRow, VoiceRow } from './galgame-links.ts'
import { IMAGE_COLUMNS, type PictureRow, toImages } from './images.ts'
import { childRows, linksOf, listsBy, type ListParts } from './lists.ts'
import type { TagRow } from './tags.ts'
import { type Release, type ReleaseRows, toReleases } from './releases.ts'

/** What of a novel stands in other tables than `vn`. */
export type NovelParts = {
  titles: TitleRow[]
  releases: Release[]
  pictures: Pictures
  links: Extlink[]
  staff: StaffRow[]
  cast: CastRow[]
  voices: VoiceRow[]
  relations: NovelRelationRow[]
  tags: TagRow[]
}

type TitleRow = [lang: string, official: string | null, title: string, latin: string | null]

/** Reads the parts of all novels beside the novels. @returns those of the novel at place `n`, which only rises */
export function streamParts(trx: Database): (n: number) => Promise<NovelParts> {
  const titles = listsBy<TitleRow>(trx, 'titles', {
    from: childRows('vn_titles', 'vn'),
    columns: ['item.lang', 'item.official', 'item.title', 'item.latin'],
  })
  const links = linksOf(trx, 'vn')
  const staff = listsBy<StaffRow>(trx, 'staff', {
    from: sql`${childRows('vn_staff', 'vn')} join dump_credits credit on credit.aid = item.aid`,
    columns: ['credit.ref', 'credit.credited_as', 'item.role', 'item.note'],
    where: sql`item.role <> ''`,
  })
  const cast = listsBy<CastRow>(trx, 'cast', {
    from: sql`dump_chars_vns item join dump_vn parent on parent.id = item.vid`,
    columns: ['item.id', 'item.role', 'item.spoil'],
  })
  const voices = listsBy<VoiceRow>(trx, 'voices', {
    from: sql`${childRows('vn_seiyuu', 'vn')} join dump_credits credit on credit.aid = item.aid`,
    columns: ['item.cid', 'credit.ref', 'credit.credited_as'],
  })
  const relations = listsBy<NovelRelationRow>(trx, 'relations', {
    from: childRows('vn_relations', 'vn'),
    columns: ['item.vid', 'item.relation'],
  })
  const tags = listsBy<TagRow>(trx, 'tags', {
    from: childRows('vn_tags', 'vn'),
    columns: ['item.name', 'item.category', 'item.likes'],
  })
  const releases = streamReleases(trx)
  const pictures = streamPictures(trx)
  return async (n) => ({
    titles: await titles.take(n),
    releases: toReleases(await takeAll(releases, n)),
    pictures: await pictures(n),
    links: toExtlinks(await links.take(n)),
    staff: await staff.take(n),
    cast: await cast.take(n),
    voices: await voices.take(n),
    relations: await relations.take(n),
    tags: await tags.take(n),
  })
}

/** The rows of a table of releases, by the novels that are whole in them. */
const ofReleases = (table: string, columns: string[], join = sql``): ListParts => ({
  from: sql`${sql.table(`dump_releases_${table}`)} item join dump_complete parent on parent.id = item.id ${join}`,
  columns: ['item.id', ...columns],
})

const streamReleases = (
  trx: Database,
): { [Part in keyof ReleaseRows]: GroupStream<ReleaseRows[Part][number]> } => ({
  releases: listsBy(trx, 'releases', {
    from: sql`
      dump_releases_vn item
      join dump_vn parent on parent.id = item.vid
      join dump_releases release on release.id = item.id
      left join dump_engines engine on engine.id = release.engine`,
    columns: [
      'release.id',
      'release.olang',
      'release.released',
      'release.minage',
      'release.has_ero',
      'release.patch',
      'release.official',
      'release.engine',
      'engine.name',
      'release.website',
    ],
    where: sql`item.rtype = 'complete'`,
  }),
  platforms: listsBy(trx, 'platforms', ofReleases('platforms', ['item.platform'])),
  languages: listsBy(trx, 'languages', ofReleases('titles', ['item.lang'])),
  producers: listsBy(
    trx,
    'producers',
    ofReleases('producers', ['item.pid', 'item.developer', 'item.publisher']),
  ),
  links: listsBy(
    trx,
    'releases_extlinks',
    ofReleases(
      'extlinks',
      ['extlink.site', 'extlink.value'],
      sql`join dump_extlinks extlink on extlink.id = item.link`,
    ),
  ),
})

async function takeAll(streams: ReturnType<typeof streamReleases>, n: number): Promise<ReleaseRows> {
  return {
    releases: await streams.releases.take(n),
    platforms: await streams.platforms.take(n),
    languages: await streams.languages.take(n),
    producers: await streams.producers.take(n),
    links: await streams.links.take(n),
  }
}

/** Every picture that a novel may show, and the tables that say as what. */
function streamPictures(trx: Database): (n: number) => Promise<Pictures> {
  const images = listsBy<PictureRow>(trx, 'images', {
    from: sql`
      (
        select n, coalesce(c_image, image) as img from dump_vn
        union select novel.n, vote.img from dump_vn_image_votes vote join dump_vn novel on novel.id = vote.vid
        union select novel.n, shot.scr from dump_vn_screenshots shot join dump_vn novel on novel.id = shot.id
        union select whole.n, front.img from dump_releases_images front join dump_complete whole on whole.id = front.id
      ) parent
      join dump_images item on item.id = parent.img`,
    columns: IMAGE_COLUMNS.map((column) => `item.${column}`),
  })
  const fronts = listsBy<FrontRow>(
    trx,
    'fronts',
    ofReleases('images', ['item.img', 'item.vid', 'item.itype', 'item.lang']),
  )
  const votes = listsBy<[img: string]>(trx, 'votes', {
    from: sql`dump_vn_image_votes item join dump_vn parent on parent.id = item.vid`,
    columns: ['item.img'],
    where: sql`item.img is not null`,
  })
  const screenshots = listsBy<[scr: string]>(trx, 'screenshots', {
    from: childRows('vn_screenshots', 'vn'),
    columns: ['item.scr'],
    where: sql`item.scr is not null`,
  })
  return async (n) => ({
    images: toImages(await images.take(n)),
    fronts: toFronts(await fronts.take(n)),
    votes: (await votes.take(n)).flat(),
    screenshots: (await screenshots.take(n)).flat(),
  })
}

import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { type FrontRow, type Pictures, toFronts } from './covers.ts'
import { type Extlink, toExtlinks } from './extlinks.ts'
import type { CastRow, NovelRelationRow, StaffRow, VoiceRow } from '../galgame-links.ts'
import { IMAGE_COLUMNS, type PictureRow, toImages } from './images.ts'
import { childRows, linkParts, listsBy, type ListParts } from '../../dump/tables/lists.ts'
import type { TagRow } from '../codes/tags.ts'
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

type LinkRow = [site: string, value: string]
type TitleRow = [lang: string, official: string | null, title: string, latin: string | null]

/** The rows of a table of releases, by the novels that are whole in them. */
const ofReleases = (table: string, columns: string[], join = sql``): ListParts => ({
  from: sql`${sql.table(`dump_releases_${table}`)} item join dump_complete parent on parent.id = item.id ${join}`,
  columns: ['item.id', ...columns],
})

/** Where each part stands. */
export const NOVEL_LISTS = {
  titles: {
    from: childRows('vn_titles', 'vn'),
    columns: ['item.lang', 'item.official', 'item.title', 'item.latin'],
  },
  links: linkParts('vn'),
  staff: {
    from: sql`${childRows('vn_staff', 'vn')} join dump_credits credit on credit.aid = item.aid`,
    columns: ['credit.ref', 'credit.credited_as', 'item.role', 'item.note'],
    where: sql`item.role <> ''`,
  },
  cast: {
    from: sql`dump_chars_vns item join dump_vn parent on parent.id = item.vid`,
    columns: ['item.id', 'item.role', 'item.spoil'],
  },
  voices: {
    from: sql`${childRows('vn_seiyuu', 'vn')} join dump_credits credit on credit.aid = item.aid`,
    columns: ['item.cid', 'credit.ref', 'credit.credited_as'],
  },
  relations: { from: childRows('vn_relations', 'vn'), columns: ['item.vid', 'item.relation'] },
  tags: { from: childRows('vn_tags', 'vn'), columns: ['item.name', 'item.category', 'item.likes'] },
  releases: {
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
  },
  platforms: ofReleases('platforms', ['item.platform']),
  languages: ofReleases('titles', ['item.lang']),
  producers: ofReleases('producers', ['item.pid', 'item.developer', 'item.publisher']),
  releaseLinks: ofReleases(
    'extlinks',
    ['extlink.site', 'extlink.value'],
    sql`join dump_extlinks extlink on extlink.id = item.link`,
  ),
  /** Every picture that a novel may show; the three that follow say as what. */
  images: {
    from: sql`
      (
        select n, coalesce(c_image, image) as img from dump_vn
        union select novel.n, vote.img from dump_vn_image_votes vote join dump_vn novel on novel.id = vote.vid
        union select novel.n, shot.scr from dump_vn_screenshots shot join dump_vn novel on novel.id = shot.id
        union select whole.n, front.img from dump_releases_images front join dump_complete whole on whole.id = front.id
      ) parent
      join dump_images item on item.id = parent.img`,
    columns: IMAGE_COLUMNS.map((column) => `item.${column}`),
  },
  fronts: ofReleases('images', ['item.img', 'item.vid', 'item.itype', 'item.lang']),
  votes: {
    from: sql`dump_vn_image_votes item join dump_vn parent on parent.id = item.vid`,
    columns: ['item.img'],
    where: sql`item.img is not null`,
  },
  screenshots: {
    from: childRows('vn_screenshots', 'vn'),
    columns: ['item.scr'],
    where: sql`item.scr is not null`,
  },
} satisfies Record<string, ListParts>

/** Reads the parts of all novels beside the novels. @returns those of the novel at place `n`, which only rises */
export function streamParts(trx: Database): (n: number) => Promise<NovelParts> {
  const stream = <Item extends unknown[]>(list: keyof typeof NOVEL_LISTS) =>
    listsBy<Item>(trx, list, NOVEL_LISTS[list])
  const titles = stream<TitleRow>('titles')
  const links = stream<LinkRow>('links')
  const staff = stream<StaffRow>('staff')
  const cast = stream<CastRow>('cast')
  const voices = stream<VoiceRow>('voices')
  const relations = stream<NovelRelationRow>('relations')
  const tags = stream<TagRow>('tags')
  const releases = {
    releases: stream<ReleaseRows['releases'][number]>('releases'),
    platforms: stream<ReleaseRows['platforms'][number]>('platforms'),
    languages: stream<ReleaseRows['languages'][number]>('languages'),
    producers: stream<ReleaseRows['producers'][number]>('producers'),
    links: stream<ReleaseRows['links'][number]>('releaseLinks'),
  }
  const pictures = {
    images: stream<PictureRow>('images'),
    fronts: stream<FrontRow>('fronts'),
    votes: stream<[img: string]>('votes'),
    screenshots: stream<[scr: string]>('screenshots'),
  }
  return async (n) => ({
    titles: await titles.take(n),
    releases: toReleases({
      releases: await releases.releases.take(n),
      platforms: await releases.platforms.take(n),
      languages: await releases.languages.take(n),
      producers: await releases.producers.take(n),
      links: await releases.links.take(n),
    }),
    pictures: {
      images: toImages(await pictures.images.take(n)),
      fronts: toFronts(await pictures.fronts.take(n)),
      votes: (await pictures.votes.take(n)).flat(),
      screenshots: (await pictures.screenshots.take(n)).flat(),
    },
    links: toExtlinks(await links.take(n)),
    staff: await staff.take(n),
    cast: await cast.take(n),
    voices: await voices.take(n),
    relations: await relations.take(n),
    tags: await tags.take(n),
  })
}

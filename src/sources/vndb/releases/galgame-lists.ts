import { sql } from 'kysely'
import type { PictureRows } from './covers.ts'
import { linkParts, type Extlink } from './extlinks.ts'
import type { CastRow, GalgameRelationRow, StaffRow, VoiceRow } from '../galgame-links.ts'
import { IMAGE_COLUMNS } from './images.ts'
import {
  childRows,
  tableColumns,
  itemColumns,
  type ListParts,
  type PartsOf,
} from '../../dump/tables/lists.ts'
import type { TagRow } from '../codes/tags.ts'
import type { ReleaseRows } from './releases.ts'

/** Data about a galgame from tables other than `vn`. */
export type GalgameItems = ReleaseRows &
  PictureRows & {
    titles: { lang: string; official: string | null; title: string; latin: string | null }
    links: Extlink
    staff: StaffRow
    cast: CastRow
    voices: VoiceRow
    relations: GalgameRelationRow
    tags: TagRow
  }

/** SQL for the rows of a release table, grouped by the galgames that the releases contain completely. */
const ofReleases = <Name extends string>(
  table: string,
  columns: Record<Name, string>,
  join = sql``,
): ListParts<Record<Name, unknown>> & ListParts<{ id: string }> => ({
  from: sql`${sql.table(`dump_releases_${table}`)} item join dump_complete parent on parent.id = item.id ${join}`,
  columns: { id: 'item.id', ...columns },
})

export const VN_LISTS: PartsOf<GalgameItems> = {
  titles: {
    from: childRows('vn_titles', 'vn'),
    columns: itemColumns('lang', 'official', 'title', 'latin'),
  },
  links: linkParts('vn'),
  staff: {
    from: sql`${childRows('vn_staff', 'vn')} join dump_credits credit on credit.aid = item.aid`,
    columns: { ...tableColumns('credit', 'ref', 'credited_as'), ...itemColumns('role', 'note') },
    where: sql`item.role <> ''`,
  },
  cast: {
    from: sql`dump_chars_vns item join dump_vn parent on parent.id = item.vid`,
    columns: itemColumns('id', 'role', 'spoil'),
  },
  voices: {
    from: sql`${childRows('vn_seiyuu', 'vn')} join dump_credits credit on credit.aid = item.aid`,
    columns: { cid: 'item.cid', ref: 'credit.ref', credited_as: 'credit.credited_as' },
  },
  relations: { from: childRows('vn_relations', 'vn'), columns: itemColumns('vid', 'relation') },
  tags: {
    from: childRows('vn_tags', 'vn'),
    columns: itemColumns('name', 'category', 'likes', 'spoiler'),
  },
  releases: {
    from: sql`
      dump_releases_vn item
      join dump_vn parent on parent.id = item.vid
      join dump_releases release on release.id = item.id
      left join dump_engines engine on engine.id = release.engine`,
    columns: {
      ...tableColumns('release', 'id', 'olang', 'released', 'minage', 'has_ero', 'patch'),
      ...tableColumns('release', 'official', 'engine', 'website'),
      engine_name: 'engine.name',
    },
    where: sql`item.rtype = 'complete'`,
  },
  platforms: ofReleases('platforms', itemColumns('platform')),
  languages: ofReleases('titles', itemColumns('lang')),
  producers: ofReleases('producers', itemColumns('pid', 'developer', 'publisher')),
  releaseLinks: ofReleases(
    'extlinks',
    { site: 'extlink.site', value: 'extlink.value' },
    sql`join dump_extlinks extlink on extlink.id = item.link`,
  ),
  /** Every picture that a galgame may show, from any of the three lists below. */
  images: {
    from: sql`
      (
        select n, coalesce(c_image, image) as img from dump_vn
        union select galgame.n, vote.img from dump_vn_image_votes vote join dump_vn galgame on galgame.id = vote.vid
        union select galgame.n, shot.scr from dump_vn_screenshots shot join dump_vn galgame on galgame.id = shot.id
        union select whole.n, front.img from dump_releases_images front join dump_complete whole on whole.id = front.id
      ) parent
      join dump_images item on item.id = parent.img`,
    columns: IMAGE_COLUMNS,
  },
  fronts: ofReleases('images', itemColumns('img', 'vid', 'itype', 'lang')),
  votes: {
    from: sql`dump_vn_image_votes item join dump_vn parent on parent.id = item.vid`,
    columns: itemColumns('img'),
    where: sql`item.img is not null`,
  },
  screenshots: {
    from: childRows('vn_screenshots', 'vn'),
    columns: itemColumns('scr'),
    where: sql`item.scr is not null`,
  },
}

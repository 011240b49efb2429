import { integerOf, isTrue, otherNames } from '../dump/tables/copy-text.ts'
import type { SourceScore } from '../records/record-fields.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import {
  chineseTitle,
  englishTitle,
  koreanTitle,
  originTitle,
  romajiTitle,
} from '../records/titles.ts'
import { steamAppsOf } from '../records/web-sites.ts'
import { DEV_STATUS, languageTag } from './codes/codes.ts'
import { rankedCovers, screenshotsOf, toPictures } from './releases/covers.ts'
import { externalIdsOf, externalLinksOf, websiteOf } from './releases/extlinks.ts'
import { castOf, relationsOf, staffOf } from './galgame-links.ts'
import { VN_LISTS, type GalgameItems } from './releases/galgame-lists.ts'
import { toReleases } from './releases/releases.ts'
import type { ListsOf } from '../dump/tables/lists.ts'
import { plainText } from './plain-text.ts'
import { extlinksOf, producersOf, releaseFields } from './releases/release-facts.ts'
import { tagsOf } from './codes/tags.ts'
import { type EntryParts, type EntryRow, hashOf, timesOf } from './entries.ts'

export const GALGAMES: EntryParts<'vn', GalgameItems> = {
  kind: 'galgame',
  table: 'vn',
  lists: VN_LISTS,
  toRecord: toGalgame,
}

/** Maps a galgame. VNDB's descriptions are in English, so they are the original text only of an English galgame. */
function toGalgame(
  row: EntryRow<'vn'>,
  lists: ListsOf<GalgameItems>,
  report: ImportReport,
): SourceRecord | undefined {
  const { id, olang } = row
  const { links } = lists
  const releases = toReleases(lists)
  const pictures = toPictures(lists)
  const named = lists.titles.map((title) => ({ ...title, official: isTrue(title.official) }))
  const title = originTitle(named, olang)
  if (!id || !title) {
    report.note({ code: 'novel.no_title' }, id ?? '')
    return undefined
  }
  const translated = chineseTitle(named, olang)
  const facts = releaseFields(releases)
  const description = plainText(row.description)
  const external_links = externalLinksOf([...links, ...extlinksOf(releases)])
  return {
    kind: 'galgame',
    external_id: id,
    ...hashOf(row),
    same_as: externalIdsOf(links),
    fields: {
      ...facts,
      origin_title: title,
      trans_title: translated,
      en_title: englishTitle(named),
      romaji_title: romajiTitle(named, olang),
      ko_title: koreanTitle(named, olang),
      aliases: otherNames(
        [title, translated],
        [row.alias, ...named.flatMap((name) => [name.title, name.latin])],
      ),
      covers: rankedCovers(pictures, { id, olang, chosen: row.c_image ?? row.image }, releases),
      images: screenshotsOf(pictures),
      origin_intro: olang === 'en' ? description : null,
      en_intro: description,
      homepage: websiteOf(links) ?? facts.homepage,
      origin_lang: languageTag(olang),
      dev_status: DEV_STATUS[row.devstatus ?? ''],
      external_links,
      steam_apps: steamAppsOf(external_links),
      ...tagsOf(lists.tags, facts.nsfw === true),
      source_scores: scoresOf(row),
      ...timesOf(row),
    },
    links: {
      staff: staffOf(lists.staff),
      characters: castOf(lists.cast, lists.voices),
      producers: producersOf(releases, olang),
      relations: relationsOf(id, lists.relations, report),
    },
  }
}

/** Returns VNDB's score of a galgame, which VNDB states in hundredths. It has no ranks. */
function scoresOf({ c_votecount, c_rating }: EntryRow<'vn'>): SourceScore[] {
  const [votes, rating] = [integerOf(c_votecount) ?? 0, integerOf(c_rating) ?? 0]
  if (votes < 1 || rating < 100 || rating > 1_000) return []
  return [{ source: 'vndb', score: rating / 100, votes, rank: null }]
}

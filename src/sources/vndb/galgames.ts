import type { Database } from '../../db/database.ts'
import { isTrue, otherNames } from '../dump/tables/copy-text.ts'
import type { ImportReport, SourceRecord } from '../records/record.ts'
import { chineseTitle, englishTitle, originTitle } from '../records/titles.ts'
import { steamAppsOf } from '../records/web-sites.ts'
import { DEV_STATUS, languageTag } from './codes/codes.ts'
import { rankedCovers, screenshotsOf } from './releases/covers.ts'
import { outsideIdsOf, linksElsewhere, websiteOf } from './releases/extlinks.ts'
import { castOf, noteLeftOut, relationsOf, staffOf } from './galgame-links.ts'
import type { EntryParts } from './known-entries.ts'
import { NOVEL_LISTS, type NovelParts, streamParts } from './releases/novel-parts.ts'
import { plainText } from './plain-text.ts'
import { extlinksOf, producersOf, releaseFields } from './releases/release-facts.ts'
import { tagsOf } from './codes/tags.ts'
import { type EntryRow, hashOf, streamEntries, timesOf } from './times.ts'

type Column = 'id' | 'olang' | 'devstatus' | 'alias' | 'description' | 'c_image' | 'image'

export const NOVELS: EntryParts = {
  kind: 'galgame',
  table: 'vn',
  lists: Object.values(NOVEL_LISTS),
}

/** Novels with what their releases, pictures and credits say. */
export async function* readGalgames(
  report: ImportReport,
  trx: Database,
): AsyncGenerator<SourceRecord> {
  await noteLeftOut(report, trx)
  const partsOf = streamParts(trx)
  for await (const rows of streamEntries<Column>(trx, 'vn'))
    for (const row of rows) {
      const record = toGalgame(row, await partsOf(row.n), report)
      if (record) yield record
    }
}

/** VNDB describes every novel in English, which is the origin's intro only where the novel is English too. */
function toGalgame(
  row: EntryRow<Column>,
  parts: NovelParts,
  report: ImportReport,
): SourceRecord | undefined {
  const { id, olang } = row
  const { releases, pictures, links } = parts
  const named = parts.titles.map(([lang, official, title, latin]) => ({
    lang,
    official: isTrue(official),
    title,
    latin,
  }))
  const title = originTitle(named, olang)
  if (!id || !title) {
    report.note({ code: 'novel.no_title' }, id ?? '')
    return undefined
  }
  const translated = chineseTitle(named, olang)
  const facts = releaseFields(releases)
  const description = plainText(row.description)
  const external_links = linksElsewhere([...links, ...extlinksOf(releases)])
  return {
    kind: 'galgame',
    external_id: id,
    ...hashOf(row),
    same_as: outsideIdsOf(links),
    fields: {
      ...facts,
      origin_title: title,
      trans_title: translated,
      en_title: englishTitle(named),
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
      tags: tagsOf(parts.tags, facts.nsfw === true),
      ...timesOf(row),
    },
    links: {
      staff: staffOf(parts.staff),
      characters: castOf(parts.cast, parts.voices),
      producers: producersOf(releases, olang),
      relations: relationsOf(id, parts.relations, report),
    },
  }
}

import { otherNames, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { chineseTitle, englishTitle, originTitle } from '../titles.ts'
import { steamAppsOf } from '../web-sites.ts'
import { DEV_STATUS, languageTag } from './codes.ts'
import { rankedCovers, readPictures, screenshotsOf } from './covers.ts'
import type { Shared } from './dump.ts'
import { outsideIdsOf, linksElsewhere, readExtlinksOf, websiteOf } from './extlinks.ts'
import { readLinkTables } from './galgame-links.ts'
import type { Images } from './images.ts'
import type { Credits } from './people.ts'
import { plainText } from './plain-text.ts'
import { extlinksOf, producersOf, releaseFields } from './release-facts.ts'
import { readReleases } from './releases.ts'
import { readNovelTitles } from './titles.ts'

/**
 * Novels with what their releases, pictures and credits say.
 *
 * VNDB describes every novel in English, which is the origin's intro only where the novel is English too.
 */
export async function* readGalgames(
  dump: DumpReading,
  { extlinks, times }: Shared,
  images: Images,
  credits: Credits,
): AsyncGenerator<SourceRecord> {
  const titles = await readNovelTitles(dump)
  const releases = await readReleases(dump, extlinks)
  const pictures = await readPictures(dump, images)
  const tables = await readLinkTables(dump, credits)
  const links = await readExtlinksOf(dump, 'vn_extlinks', extlinks)

  const columns = ['id', 'olang', 'devstatus', 'alias', 'description'] as const
  for await (const row of readTable(dump, 'vn', columns, ['c_image', 'image'])) {
    const { id, olang } = row
    const named = titles.get(id ?? '') ?? []
    const title = originTitle(named, olang)
    if (!id || !title) {
      dump.report.note('a novel without a title is left out', id ?? '')
      continue
    }
    const translated = chineseTitle(named, olang)
    const own = releases.get(id) ?? []
    const facts = releaseFields(own)
    const description = plainText(row.description)
    const external_links = linksElsewhere([...(links.get(id) ?? []), ...extlinksOf(own)])
    yield {
      kind: 'galgame',
      external_id: id,
      same_as: outsideIdsOf(links.get(id)),
      fields: {
        ...facts,
        origin_title: title,
        trans_title: translated,
        en_title: englishTitle(named),
        aliases: otherNames(
          [title, translated],
          [row.alias, ...named.flatMap(({ title, latin }) => [title, latin])],
        ),
        covers: rankedCovers(pictures, { id, olang, chosen: row.c_image ?? row.image ?? null }, own),
        images: screenshotsOf(pictures, id),
        origin_intro: olang === 'en' ? description : null,
        en_intro: description,
        homepage: websiteOf(links.get(id)) ?? facts.homepage,
        origin_lang: languageTag(olang),
        dev_status: DEV_STATUS[row.devstatus ?? ''],
        external_links,
        steam_apps: steamAppsOf(external_links),
        ...times.get(id),
      },
      links: {
        staff: tables.staff.get(id) ?? [],
        characters: tables.characters.get(id) ?? [],
        producers: producersOf(own, olang),
        relations: tables.relations.get(id) ?? [],
      },
    }
  }
}

import type { GalgameLinks } from '../records/record-links.ts'
import type { SourceRecord } from '../records/record.ts'
import { steamAppsOf } from '../records/web-sites.ts'
import { GAME_RELATIONS } from './archive/archive-codes.ts'
import {
  aliasesOf,
  charactersOf,
  linksOfInfobox,
  openInfobox,
  withoutEmpty,
  tagNames,
  titlesOf,
  workFields,
} from './subject-fields.ts'
import type { Dependencies } from '../dump/dependencies.ts'
import type { Context } from './context.ts'
import { CreditReader } from './credits.ts'
import { entryDate, fullDate, type KnownDate } from './infobox/dates.ts'
import type { InfoboxReader } from './infobox/infobox-reader.ts'
import { mentionsIn, externalIdsIn } from './infobox/external-ids.ts'
import { localizedTitles } from './infobox/localized-titles.ts'
import { splitOutsideBrackets } from './infobox/name-list.ts'
import { originOfTags } from './infobox/origin.ts'
import { platformCode } from './infobox/platforms.ts'
import { parsePrices } from './infobox/prices.ts'
import type { SubjectRow } from './archive/rows.ts'
import { distinctTexts, languageOfScript, splitSummary } from './text.ts'

export function mapGalgame(row: SubjectRow, context: Context): SourceRecord | undefined {
  const titles = titlesOf(row)
  if (!titles) return undefined
  const infobox = openInfobox('subject', row, context)
  const localized = localizedTitles(infobox, titles.title)
  const summary = splitSummary(row.summary)
  const credits = new CreditReader(row, infobox, context)
  const homepage = infobox.officialSite('website', '官方网站', '官网')
  const external_links = linksOfInfobox(infobox, homepage)
  return {
    kind: 'galgame',
    external_id: String(row.id),
    same_as: externalIdsIn(infobox, 'galgame'),
    fields: withoutEmpty({
      origin_title: titles.title,
      trans_title: titles.translated,
      en_title: localized.english,
      romaji_title: localized.romaji,
      ko_title: localized.korean,
      aliases: aliasesOf(row, infobox),
      ...workFields(row, context),
      ...releaseOf(row, infobox, context.dependencies),
      origin_intro: summary.original,
      trans_intro: summary.translated,
      adv_type: infobox.values('游戏类型').join('、'),
      platforms: platformsOf(infobox, context),
      homepage,
      engine: infobox
        .first('游戏引擎')
        ?.replace(/[(（][^()（）]*[)）]$/, '')
        .trimEnd(),
      origin_lang:
        originOfTags(tagNames(row))?.language ??
        languageOfScript(row.name) ??
        languageOfScript(summary.original),
      prices: infobox.items('售价').flatMap(parsePrices),
      external_links,
      steam_apps: steamAppsOf(external_links),
    }),
    links: withoutEmpty({
      staff: credits.staff(),
      characters: castWithVoices(row, context),
      producers: credits.gameProducers(),
      relations: relationsOf(row, context),
      mentions: mentionsIn(infobox, 'galgame'),
    }),
  }
}

const RELEASE_KEYS = ['发行日期', '发行日', '发售日', '发售日期']

/**
 * Returns the first release. A partial date, or text instead of a date, becomes a note (`1977-11`, `発売中止`). A galgame
 * counts as released once its date has passed, even if only the year is known.
 */
function releaseOf(row: SubjectRow, infobox: InfoboxReader, dependencies: Dependencies) {
  const values = infobox.values(...RELEASE_KEYS)
  const date = entryDate(values, row.date)
  const note = date ?? values[0]
  if (note === undefined) return {}
  const release_date = fullDate(date)
  const isOut = date !== undefined && !dependencies.isFuture(endOf(date))
  return {
    ...(release_date === undefined
      ? { release_date_tbd: true, release_date_tbd_note: note }
      : { release_date, release_date_tbd: false }),
    dev_status: isOut ? ('RELEASED' as const) : undefined,
  }
}

/**
 * Returns the earliest date by which a release is certainly out: its day, or the first day after the known month or
 * year.
 */
function endOf(date: KnownDate): KnownDate {
  if (fullDate(date) !== undefined) return date
  const [year, month] = date.split('-').map(Number)
  if (year === undefined || month === undefined || month === 12) return String((year ?? 0) + 1)
  return `${year}-${String(month + 1).padStart(2, '0')}`
}

/**
 * Returns the platforms. Several names may be in one value (`PS3、PSV`), and a name may look like a label (`[Xbox
 * Series X|S]`).
 */
function platformsOf(infobox: InfoboxReader, { report }: Context): string[] {
  const names = infobox
    .items('平台')
    .flatMap(({ label, value }) =>
      platformCode(value) ? [value] : label ? [label] : splitOutsideBrackets(value, '、,，/／'),
    )
  return distinctTexts(
    names.flatMap((name) => {
      const code = platformCode(name)
      if (!code) report.note({ code: 'platform.unknown' }, name)
      return code ?? []
    }),
  )
}

function castWithVoices(row: SubjectRow, context: Context): GalgameLinks['characters'] {
  const voices = context.links.actors.get(row.id) ?? []
  return charactersOf(row, context).map((appearance) => ({
    ...appearance,
    actors: distinctTexts(
      voices
        .filter(({ character }) => String(character) === appearance.ref)
        .map(({ person }) => context.names.personById(person)),
    ).map((ref) => ({ ref })),
  }))
}

function relationsOf(row: SubjectRow, { links, report }: Context): GalgameLinks['relations'] {
  return (links.relations.get(row.id) ?? []).flatMap(({ type, related }) => {
    if (related === row.id) {
      report.note({ code: 'relation.to_itself' }, String(row.id))
      return []
    }
    const relation = GAME_RELATIONS.get(type)
    return relation ? [{ ref: String(related), relation }] : []
  })
}

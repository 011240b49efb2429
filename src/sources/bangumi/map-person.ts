import type { SourceRecord } from '../records/record.ts'
import { skippedRemark, PERSON_TYPE } from './archive/archive-codes.ts'
import { linksOfInfobox, openInfobox, portraitOf, withoutEmpty } from './subject-fields.ts'
import type { Context } from './context.ts'
import { fullDate, parseDate, knownPartOf } from './infobox/dates.ts'
import type { InfoboxReader } from './infobox/infobox-reader.ts'
import { parseGender } from './infobox/measures.ts'
import { splitOutsideBrackets } from './infobox/name-list.ts'
import { countryCode } from './infobox/origin.ts'
import type { StoredProducerType } from '../../catalog/enums.ts'
import { externalIdsIn } from './infobox/external-ids.ts'
import type { PersonRow } from './archive/rows.ts'
import { distinctTexts, splitSummary } from './text.ts'

const SITE_KEYS = '官网 官方网站 HP 公式 网站 主页 website Website 公式サイト 公式HP'.split(' ')

/**
 * Maps a row of person.jsonlines to a person, a producer or both. Individuals are people; companies and groups are
 * producers. Works may credit a producer as a person, or a person as a producer, in which case the row becomes both.
 * Returns nothing for a row without a name.
 */
export function mapPerson(row: PersonRow, context: Context): SourceRecord[] {
  const infobox = openInfobox('person', row, context)
  const name = row.name || infobox.first('简体中文名')
  if (name === undefined) {
    context.report.note(skippedRemark('nameless_person'), String(row.id))
    return []
  }
  const isIndividual = row.type === PERSON_TYPE.individual
  const type = producerType(row, context)
  const isPerson = isIndividual || context.names.isUsedAsPerson(row.id)
  const isProducer = !isIndividual || context.producerTypes.has(row.id)
  const shared = sharedFields(row, name, infobox)
  const image = portraitOf(context.images.get(row.id))
  const external_id = String(row.id)
  const website = infobox.officialSite(...SITE_KEYS)
  const external_links = linksOfInfobox(infobox, website)
  const records: SourceRecord[] = []
  if (isPerson) {
    const gender = infobox.parse(parseGender, '性别')
    records.push({
      kind: 'person',
      external_id,
      same_as: externalIdsIn(infobox, 'person'),
      fields: withoutEmpty({
        ...shared,
        image,
        gender,
        external_links,
        labels: infobox.leftovers(),
      }),
    })
  }
  if (isProducer) {
    const established = infobox.parse(parseDate, '成立时间', '成立', '成立日期', '创立时间')
    const company = {
      type,
      country: infobox.parse(countryCode, '国家/地区', '国籍', '国家', '地区'),
      established: fullDate(established),
      established_text: knownPartOf(established),
      website,
    }
    const labels = infobox.leftovers()
    records.push({
      kind: 'producer',
      external_id,
      same_as: externalIdsIn(infobox, 'producer'),
      fields: withoutEmpty({ ...shared, ...company, logo: image, external_links, labels }),
    })
  }
  return records
}

function sharedFields(row: PersonRow, name: string, infobox: InfoboxReader) {
  const summary = splitSummary(row.summary)
  return {
    name,
    trans_name: infobox.first('简体中文名'),
    aliases: aliasesOfEntry(infobox, name),
    intro: summary.original,
    trans_intro: summary.translated,
  }
}

/** Returns the values of `别名` for people and characters. Nicknames are a list within one value. */
export function aliasesOfEntry(infobox: InfoboxReader, name: string): string[] {
  const aliases = infobox
    .items('别名')
    .flatMap(({ label, value }) =>
      label === '昵称' ? splitOutsideBrackets(value, '、,，') : [value],
    )
  return distinctTexts(aliases, [name, infobox.first('简体中文名') ?? ''])
}

/**
 * Returns a producer's type. The type that works use takes precedence over the generic type of a company. Groups have
 * no type.
 */
function producerType(row: PersonRow, { producerTypes }: Context): StoredProducerType | undefined {
  if (row.type === PERSON_TYPE.individual) return 'INDIVIDUAL'
  const type = producerTypes.get(row.id)
  return row.type === PERSON_TYPE.company
    ? (type ?? 'COMPANY')
    : type === 'COMPANY'
      ? undefined
      : type
}

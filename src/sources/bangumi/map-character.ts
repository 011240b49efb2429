import type { SourceRecord } from '../records/record.ts'
import { linksOfInfobox, openInfobox, portraitOf, withoutEmpty } from './subject-fields.ts'
import type { Context } from './context.ts'
import { aliasesOfEntry } from './map-person.ts'
import * as measures from './infobox/measures.ts'
import { externalIdsIn } from './infobox/external-ids.ts'
import type { CharacterRow } from './archive/rows.ts'
import { splitSummary } from './text.ts'
import { skippedRemark } from './archive/archive-codes.ts'

export function mapCharacter(row: CharacterRow, context: Context): SourceRecord | undefined {
  const infobox = openInfobox('character', row, context)
  const trans_name = infobox.first('简体中文名')
  const name = row.name || trans_name
  if (name === undefined) {
    context.report.note(skippedRemark('nameless_character'), String(row.id))
    return undefined
  }
  const summary = splitSummary(row.summary)
  const birthday = infobox.parse(measures.parseBirthday, '生日')
  return {
    kind: 'character',
    external_id: String(row.id),
    same_as: externalIdsIn(infobox, 'character'),
    fields: withoutEmpty({
      name,
      trans_name,
      aliases: aliasesOfEntry(infobox, name),
      intro: summary.original,
      trans_intro: summary.translated,
      image: portraitOf(context.images.get(row.id)),
      gender: infobox.parse(measures.parseGender, '性别'),
      blood_type: infobox.parse(measures.parseBloodType, '血型'),
      birthday_month: birthday?.month,
      birthday_day: birthday?.day,
      height: infobox.parse(measures.parseHeight, '身高'),
      weight: infobox.parse(measures.parseWeight, '体重'),
      ...infobox.parse(measures.parseBodyMeasures, 'BWH', '三围'),
      age: infobox.parse(measures.parseAge, '年龄'),
      external_links: linksOfInfobox(infobox, undefined),
      labels: infobox.leftovers(),
    }),
  }
}

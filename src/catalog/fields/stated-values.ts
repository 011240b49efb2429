import { Type } from 'typebox'
import { Closed, Nullable, StringEnum } from '../../http/wire/schemas.ts'
import { COVER_KINDS } from '../enums.ts'

/** Schemas of values in records and in manual edits. Importers have their own limits. */

export const StatedText = Type.String({ minLength: 1, maxLength: 100_000 })
export const StatedUrl = Type.String({
  pattern: '^https?://[^\\s]+$',
  maxLength: 2_000,
  examples: ['https://example.org/'],
})
export const StatedDate = Type.String({ format: 'date' })
export const StatedPartialDate = Type.String({
  pattern: '^[0-9]{4}(-(0[1-9]|1[0-2]))?$',
  examples: ['2004-04'],
})
export const StatedCountry = Type.String({ pattern: '^[A-Z]{2}$', examples: ['JP'] })
export const StatedCurrency = Type.String({ pattern: '^[A-Z]{3}$', examples: ['JPY'] })
export const StatedIsbn = Type.String({ pattern: '^97[89][0-9]{10}$', examples: ['9784048655187'] })
export const StatedCount = Type.Integer({ minimum: 0, maximum: 1_000_000 })

const grade = Type.Integer({ minimum: 0, maximum: 2 })
const media = {
  url: Type.String({
    pattern: '^https://[^\\s]+$',
    maxLength: 2_000,
    examples: ['https://example.org/cover.jpg'],
  }),
  width: Nullable(StatedCount),
  height: Nullable(StatedCount),
  sexual: grade,
  violence: grade,
}
/** Picture (§2.2). Grades: 0 safe, 1 suggestive or violent, 2 explicit or brutal. */
export const StatedMedia = Closed(media)
export const StatedCover = Closed({ ...media, votes: StatedCount })
/**
 * Cover with an optional language (BCP 47). A source that knows neither kind nor language omits both or sets them to
 * null.
 */
export const StatedGalgameCover = Closed({
  ...media,
  votes: StatedCount,
  kind: Type.Optional(Nullable(StringEnum(COVER_KINDS))),
  language: Type.Optional(Nullable(StatedText)),
})
/** Link to a page at another site. `name` identifies the site for clients, `label` for people. */
export const StatedLink = Closed({ label: StatedText, name: StatedText, url: StatedUrl })
export const StatedLabel = Closed({ key: StatedText, value: StatedText })

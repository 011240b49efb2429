import type { GalgameLinks, LightNovelLinks, MangaLinks } from '../records/record-links.ts'
import type { Context } from './context.ts'
import type { InfoboxReader } from './infobox/infobox-reader.ts'
import { splitNames } from './infobox/name-list.ts'
import {
  BOOK_PEOPLE,
  BOOK_PRODUCERS,
  GAME_PRODUCERS,
  GAME_STAFF,
  type Position,
  type ProducerPosition,
} from './positions.ts'
import type { SubjectRow } from './archive/rows.ts'
import { distinctTexts } from './text.ts'

/**
 * Person or producer in a position. `note` is the text next to the name, or `''`. `fullName` is the name including
 * another name in brackets.
 */
type CreditedName = { ref: string; note: string; fullName?: string }
type ReferenceResolver = { byId: (id: number) => string; byName: (name: string) => string }

/**
 * Reads the credits of one work by position, in billing order. A person may appear both by name and by id until
 * `replaceNames` merges the two.
 */
export class CreditReader {
  readonly #subject: SubjectRow
  readonly #infobox: InfoboxReader
  readonly #context: Context

  constructor(subject: SubjectRow, infobox: InfoboxReader, context: Context) {
    this.#subject = subject
    this.#infobox = infobox
    this.#context = context
  }

  staff(): GalgameLinks['staff'] {
    return GAME_STAFF.flatMap((staff) =>
      this.#people(staff).map(({ ref, fullName }) => ({
        ref,
        role: staff.role,
        ...(fullName !== undefined && { credited_as: fullName }),
      })),
    )
  }

  gameProducers(): GalgameLinks['producers'] {
    return GAME_PRODUCERS.flatMap((producer) =>
      this.#producers(producer).map(({ ref, note }) => ({
        ref,
        role: producer.role,
        ...(note !== '' && { note }),
      })),
    )
  }

  novelPeople(): LightNovelLinks['people'] {
    return BOOK_PEOPLE.flatMap((people) => this.#people(people).map(withRelation(people.novel)))
  }

  novelProducers(): LightNovelLinks['producers'] {
    return BOOK_PRODUCERS.flatMap((producer) =>
      this.#producers(producer).map(withRelation(producer.novel)),
    )
  }

  mangaPeople(): MangaLinks['people'] {
    return BOOK_PEOPLE.flatMap((people) => {
      const { manga: role } = people
      if (role !== null) return this.#people(people).map(({ ref, note }) => ({ ref, note, role }))
      for (const row of this.#rows(people)) {
        this.#context.report.note(
          { code: 'manga_credit.no_role', params: { credit: String(people.keys[0]) } },
          String(row.subject),
        )
      }
      return []
    })
  }

  mangaProducers(): MangaLinks['producers'] {
    return BOOK_PRODUCERS.flatMap((producer) =>
      this.#producers(producer).map(({ ref, note }) => ({ ref, note, role: producer.manga })),
    )
  }

  #people(position: Position): CreditedName[] {
    const { names } = this.#context
    return this.#holders(position, {
      byId: (id) => names.personById(id),
      byName: (name) => names.personByName(name),
    })
  }

  #producers(position: ProducerPosition): CreditedName[] {
    const { names } = this.#context
    return this.#holders(position, {
      byId: (id) => names.producerById(id, position.type),
      byName: (name) => names.producerByName(name, position.type),
    })
  }

  /** Returns the credits in the dump or, if the dump has none for the position, the names in the infobox. */
  #holders(position: Position, { byId, byName }: ReferenceResolver): CreditedName[] {
    const listed = this.#infobox.joinedItems(...position.keys)
    const rows = this.#rows(position)
    if (rows.length > 0) return rows.map(({ person, note }) => ({ ref: byId(person), note }))
    return listed.flatMap(({ label, value }) =>
      splitNames(value).map(({ name, note, fullName }) => ({
        ref: byName(name),
        note: distinctTexts([label, note]).join('、'),
        ...(fullName !== undefined && { fullName }),
      })),
    )
  }

  #rows({ position }: Position) {
    return (this.#context.links.credits.get(this.#subject.id) ?? []).filter(
      (row) => row.position === position,
    )
  }
}

function withRelation(relation: string) {
  return ({ ref, note }: CreditedName) => ({ ref, relation, note: note || null })
}

import type { DumpReading } from '../dump/reading.ts'
import type { SourceRecord } from '../record.ts'
import { PERSON_TYPE } from './archive-codes.ts'
import { InfoboxReader } from './infobox-reader.ts'
import type { ProducerType } from '../../catalog/enums.ts'
import { FILES, readRows } from './read.ts'
import type { PersonRow } from './rows.ts'
import { distinctTexts } from './text.ts'

/** Who in the dump bears a name; null when several do, since then the name is nobody's in particular. */
type Bearers = Map<string, number | null>

/** Names of one sort of entry: what they are called first, and what else they are called. */
type Register = { names: Bearers; otherNames: Bearers }

/**
 * Knows everyone the works name, whether by an id of person.jsonlines or only by a name in an infobox, and as
 * what: the same group may be a manga's author and a game's developer, and then is a person and a producer.
 *
 * A name stands for an id of the dump when exactly one entry is called so, or, no entry being called so,
 * exactly one has it as its Chinese name or alias. Otherwise it is an entry of its own, `name:<the name>`.
 */
export class NameBook {
  readonly #people: Register = { names: new Map(), otherNames: new Map() }
  readonly #companies: Register = { names: new Map(), otherNames: new Map() }
  readonly #groups: Register = { names: new Map(), otherNames: new Map() }
  readonly #personIds = new Set<number>()
  readonly #producerUses = new Map<number, Map<ProducerType, number>>()
  readonly #namedPeople = new Set<string>()
  readonly #namedProducers = new Map<string, ProducerType>()

  static async read(dump: DumpReading): Promise<NameBook> {
    const book = new NameBook()
    for await (const row of readRows(dump, FILES.people)) book.#register(row)
    return book
  }

  #register({ id, type, name, infobox }: PersonRow): void {
    const { names, otherNames } =
      type === PERSON_TYPE.company
        ? this.#companies
        : type === PERSON_TYPE.group
          ? this.#groups
          : this.#people
    enter(names, name, id)
    for (const other of otherNamesOf(new InfoboxReader(infobox), name)) enter(otherNames, other, id)
  }

  /** The reference of a person the dump names by id; an id without a row will do. */
  personById(id: number): string {
    this.#personIds.add(id)
    return String(id)
  }

  personByName(name: string): string {
    const id = findBearer([this.#people, this.#groups], name) ?? findBearer([this.#companies], name)
    if (id !== undefined) return this.personById(id)
    this.#namedPeople.add(name)
    return named(name)
  }

  producerById(id: number, type: ProducerType): string {
    const uses = this.#producerUses.get(id) ?? new Map<ProducerType, number>()
    this.#producerUses.set(id, uses.set(type, (uses.get(type) ?? 0) + 1))
    return String(id)
  }

  /** A company or group of the dump, never an individual: a namesake is more likely than a one-man publisher. */
  producerByName(name: string, type: ProducerType): string {
    const id = findBearer([this.#companies, this.#groups], name)
    if (id !== undefined) return this.producerById(id, type)
    if (!this.#namedProducers.has(name)) this.#namedProducers.set(name, type)
    return named(name)
  }

  isUsedAsPerson(id: number): boolean {
    return this.#personIds.has(id)
  }

  /** As what works name this producer most often; undefined when none does. */
  producerTypeOf(id: number): ProducerType | undefined {
    const uses = [...(this.#producerUses.get(id) ?? [])]
    return uses.reduce<[ProducerType | undefined, number]>(
      (most, use) => (use[1] > most[1] ? use : most),
      [undefined, 0],
    )[0]
  }

  /** Everyone known by name alone; complete once all works were mapped. */
  *records(): Generator<SourceRecord> {
    for (const name of this.#namedPeople) yield { kind: 'person', external_id: named(name), fields: { name } }
    for (const [name, type] of this.#namedProducers) {
      yield { kind: 'producer', external_id: named(name), fields: { name, type } }
    }
  }
}

function named(name: string): string {
  return `name:${name}`
}

function enter(bearers: Bearers, name: string, id: number): void {
  if (name === '') return
  bearers.set(name, bearers.has(name) && bearers.get(name) !== id ? null : id)
}

/** Whoever alone is called so; a name that several bear stays unresolved and does not fall back to aliases. */
function findBearer(registers: Register[], name: string): number | undefined {
  for (const sort of ['names', 'otherNames'] as const) {
    const bearers = registers.map((register) => register[sort].get(name)).filter((id) => id !== undefined)
    if (bearers.length > 0) return bearers.length === 1 ? (bearers[0] ?? undefined) : undefined
  }
  return undefined
}

/** `简体中文名` and `别名`; nicknames are left out, for `小渚` may be anyone. */
function otherNamesOf(infobox: InfoboxReader, name: string): string[] {
  const aliases = infobox.items('别名').filter(({ label }) => label !== '昵称')
  return distinctTexts([...infobox.values('简体中文名'), ...aliases.map(({ value }) => value)], [name])
}

import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { escapeCell, RowCopier } from '../../../db/row-copier.ts'
import {
  createTemporaryTable,
  defineTemporaryTable,
  loadTemporaryTable,
} from '../../../db/temporary-table.ts'
import type { StoredProducerType } from '../../../catalog/enums.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import type { SourceRecord } from '../../records/record.ts'
import { streamRows } from '../../dump/tables/row-streams.ts'
import { PERSON_TYPE } from './archive-codes.ts'
import { IdSet } from './id-set.ts'
import { InfoboxReader } from '../infobox/infobox-reader.ts'
import { FILES, readRows } from './read.ts'
import type { PersonRow } from './rows.ts'
import { distinctTexts } from '../text.ts'

const USE_COLUMNS = { n: 'bigint', id: 'bigint', type: 'text' }
const NAMED_COLUMNS = { n: 'bigint', kind: 'text', name: 'text collate "C"', type: 'text' }

type Register = 'people' | 'companies' | 'groups'

type NameSort = 'name' | 'other name'

/**
 * Maps names, each combined with its sort and register (`bearerKey`), to the id of the only entry with that name, or
 * to null if several entries have it.
 */
type IdsByName = Map<string, number | null>

/** Ids of the entries to which the names in a batch refer, keyed by reference. */
export type NamedIds = {
  people: ReadonlyMap<string, string>
  producers: ReadonlyMap<string, string>
}

/**
 * Resolves the names and ids in the credits of works to people and producers. A group may be the author of a manga and
 * the developer of a game; it is then both a person and a producer.
 *
 * A name refers to the only entry with that name or, if no entry has it, to the only entry that has it as a Chinese
 * name or alias. Any other name becomes an entry `name:<the name>`.
 *
 * The data is in the database (`dump_names`, `dump_uses`, `dump_named`). Only the names of the current batch are in
 * memory, with references `name:…` until the batch is resolved.
 */
export class CreditedNames {
  readonly #trx: Database
  readonly #uses: RowCopier
  readonly #named: RowCopier
  readonly #personIds = new IdSet()
  #people = new Set<string>()
  #producers: { id: number | null; name: string; type: StoredProducerType }[] = []
  #count = 0

  private constructor(trx: Database) {
    this.#trx = trx
    this.#uses = new RowCopier(trx, 'dump_uses', Object.keys(USE_COLUMNS))
    this.#named = new RowCopier(trx, 'dump_named', Object.keys(NAMED_COLUMNS))
  }

  static async read(dump: DumpReading, trx: Database): Promise<CreditedNames> {
    await stageNames(dump, trx)
    await defineTemporaryTable(trx, 'dump_uses', USE_COLUMNS)
    await defineTemporaryTable(trx, 'dump_named', NAMED_COLUMNS)
    return new CreditedNames(trx)
  }

  /** Returns the reference to a person by id. The person may be missing from the dump. */
  personById(id: number): string {
    this.#personIds.add(id)
    return String(id)
  }

  personByName(name: string): string {
    this.#people.add(name)
    return nameRef(name)
  }

  producerById(id: number, type: StoredProducerType): string {
    this.#producers.push({ id, name: '', type })
    return String(id)
  }

  producerByName(name: string, type: StoredProducerType): string {
    this.#producers.push({ id: null, name, type })
    return nameRef(name)
  }

  async resolve(): Promise<NamedIds> {
    const [people, producers] = [this.#people, this.#producers]
    this.#people = new Set()
    this.#producers = []
    const names = producers.flatMap(({ id, name }) => (id === null ? [name] : []))
    const bearers = await this.#findBearers([...new Set([...people, ...names])])
    const ids = { people: new Map<string, string>(), producers: new Map<string, string>() }
    for (const name of people) {
      const id =
        findBearer(bearers, name, ['people', 'groups']) ?? findBearer(bearers, name, ['companies'])
      if (id === undefined) this.#addNamed('person', name, '\\N')
      else ids.people.set(nameRef(name), this.personById(id))
    }
    for (const { id: known, name, type } of producers) {
      // Only companies and groups count, because an individual is more likely a namesake than a one-person publisher.
      const id = known ?? findBearer(bearers, name, ['companies', 'groups'])
      if (id === undefined) this.#addNamed('producer', name, type)
      else {
        this.#uses.add(`${(this.#count += 1)}\t${id}\t${type}`)
        if (known === null) ids.producers.set(nameRef(name), String(id))
      }
    }
    await this.#uses.settle()
    await this.#named.settle()
    return ids
  }

  #addNamed(kind: 'person' | 'producer', name: string, type: string) {
    this.#named.add(`${(this.#count += 1)}\t${kind}\t${escapeCell(name)}\t${type}`)
  }

  async #findBearers(names: string[]): Promise<IdsByName> {
    if (names.length === 0) return new Map()
    const { rows } = await sql<{
      sort: NameSort
      register: Register
      name: string
      id: number | null
    }>`
      select sort, register, name, case when count(distinct id) = 1 then min(id) end as id
      from dump_names
      where name = any(${names}::text[] collate "C")
      group by sort, register, name`.execute(this.#trx)
    return new Map(
      rows.map(({ sort, register, name, id }) => [bearerKey(sort, register, name), id]),
    )
  }

  /** Call this after all works and before the people. */
  async end(): Promise<void> {
    await this.#uses.end()
    await this.#named.end()
    await createTemporaryTable(this.#trx, 'dump_producer_types')`
      select distinct on (id) id, type
      from (select id, type, count(*) as uses, min(n) as first from dump_uses group by id, type) used
      order by id, uses desc, first`
    await sql`alter table dump_producer_types add primary key (id)`.execute(this.#trx)
  }

  isUsedAsPerson(id: number): boolean {
    return this.#personIds.has(id)
  }

  /** Returns the type that works use most often for each producer. Producers without works are omitted. */
  async findProducerTypes(ids: number[]): Promise<Map<number, StoredProducerType>> {
    const { rows } = await sql<{ id: number; type: StoredProducerType }>`
      select id, type from dump_producer_types where id = any(${ids}::bigint[])`.execute(this.#trx)
    return new Map(rows.map(({ id, type }) => [id, type]))
  }

  /** Yields the entries that are known only by name, people first, with the type from their first work. */
  async *records(): AsyncGenerator<SourceRecord> {
    const creditedRows = streamRows<{
      kind: 'person' | 'producer'
      name: string
      type: StoredProducerType | null
    }>(
      this.#trx,
      'named',
      sql`
        select kind, name, type
        from (select distinct on (kind, name) * from dump_named order by kind, name, n) once
        order by kind, n`,
    )
    for await (const { kind, name, type } of creditedRows)
      yield kind === 'person'
        ? { kind, external_id: nameRef(name), fields: { name } }
        : { kind, external_id: nameRef(name), fields: { name, type } }
  }
}

async function stageNames(dump: DumpReading, trx: Database) {
  await loadTemporaryTable(
    trx,
    'dump_names',
    { register: 'text', sort: 'text', name: 'text collate "C"', id: 'bigint' },
    readRows(dump, FILES.people),
    (row) => {
      const register = registerOf(row)
      const others = otherNamesOf(new InfoboxReader(row.infobox), row.name)
      return [
        ...(row.name === '' ? [] : [[register, 'name', row.name, row.id]]),
        ...others.map((other) => [register, 'other name', other, row.id]),
      ]
    },
  )
  // Names may be longer than a b-tree index allows.
  await sql`create index on dump_names using hash (name)`.execute(trx)
}

const registerOf = ({ type }: PersonRow): Register =>
  type === PERSON_TYPE.company ? 'companies' : type === PERSON_TYPE.group ? 'groups' : 'people'

const nameRef = (name: string) => `name:${name}`

const bearerKey = (sort: NameSort, register: Register, name: string) =>
  `${sort} ${register} ${name}`

/**
 * Returns the only entry with a name. A name that several entries have stays unresolved and is not looked up among
 * aliases.
 */
function findBearer(bearers: IdsByName, name: string, registers: Register[]): number | undefined {
  for (const sort of ['name', 'other name'] as const) {
    const found = registers
      .map((register) => bearers.get(bearerKey(sort, register, name)))
      .filter((id) => id !== undefined)
    if (found.length > 0) return found.length === 1 ? (found[0] ?? undefined) : undefined
  }
  return undefined
}

/** Returns `简体中文名` and `别名` without nicknames, which are too ambiguous (`小渚`). */
function otherNamesOf(infobox: InfoboxReader, name: string): string[] {
  const aliases = infobox.items('别名').filter(({ label }) => label !== '昵称')
  return distinctTexts(
    [...infobox.values('简体中文名'), ...aliases.map(({ value }) => value)],
    [name],
  )
}

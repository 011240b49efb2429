import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { DISTRIBUTED_FUNCTIONS } from '../../src/db/sharding/distribute.ts'
import { REFERENCE_TABLES, SHARDED_TABLES } from '../../src/db/sharding/sharded-tables.ts'
import type { SentStatement } from './statements.ts'

/**
 * Rules for user data in a database distributed with Citus, for its tables and its statements. Each rule reproduces an
 * error seen on three machines, or a check in the source of Citus (decision 0039).
 */

export const USER_TABLES = Object.keys(SHARDED_TABLES)
const REFERENCES: readonly string[] = REFERENCE_TABLES
const USER_TABLE = USER_TABLES.join('|')

const mentions = (text: string, names: readonly string[]) =>
  names.some((name) => new RegExp(`\\b${name}\\b`).test(text))

/** Returns the faults of the schema that prevent distribution. */
export async function schemaFaults(db: Database): Promise<string[]> {
  const rowsOf = async <Row>(text: string) => (await sql.raw<Row>(text).execute(db)).rows
  const faults: string[] = []
  const isUserTable = (table: string) => USER_TABLES.includes(table)

  const columns = await rowsOf<{ table: string; type: string }>(`
    select table_name as table, data_type as type from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id'`)
  for (const table of USER_TABLES)
    if (columns.find((column) => column.table === table)?.type !== 'bigint')
      faults.push(`${table} has no account_id bigint`)

  const indexes = await rowsOf<{
    table: string
    name: string
    primary: boolean
    columns: string[]
  }>(`
    select
      index.indrelid::regclass::text as table,
      index.indexrelid::regclass::text as name,
      index.indisprimary as primary,
      array(
        select attname::text from pg_attribute
        where attrelid = index.indrelid and attnum = any(index.indkey::smallint[])
      ) as columns
    from pg_index index
    where index.indisunique or index.indisexclusion`)
  for (const { table, name, columns: indexed } of indexes)
    if (isUserTable(table) && !indexed.includes('account_id'))
      faults.push(`${name} is unique without account_id`)
  for (const table of USER_TABLES)
    if (!indexes.some((index) => index.table === table && index.primary))
      faults.push(`${table} has no primary key`)

  const keys = await rowsOf<{ table: string; target: string; name: string; definition: string }>(`
    select
      conrelid::regclass::text as table, confrelid::regclass::text as target, conname as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f'`)
  for (const { table, target, name, definition } of keys) {
    const isOfUser = isUserTable(table)
    if (isOfUser && REFERENCES.includes(target)) {
      if (
        /^FOREIGN KEY \((?:account_id\b|.*, account_id\b).* ON (DELETE|UPDATE) SET/.test(definition)
      )
        faults.push(`${name} would set account_id`)
    } else if (isOfUser || isUserTable(target)) {
      if (
        !isOfUser ||
        !isUserTable(target) ||
        !/^FOREIGN KEY \(account_id, .* REFERENCES \w+\(account_id, /.test(definition)
      )
        faults.push(`${name} leads from ${table} to ${target} without the account`)
    } else if (REFERENCES.includes(target)) faults.push(`${name} leads from ${table} to ${target}`)
    else if (REFERENCES.includes(table) && !['accounts', 'works'].includes(target))
      faults.push(`${name} leads from ${table} to ${target}`)
  }

  const triggers = await rowsOf<{ table: string; name: string; body: string }>(`
    select tgrelid::regclass::text as table, tgname as name, pg_get_functiondef(tgfoid) as body
    from pg_trigger
    where not tgisinternal`)
  for (const { table, name, body } of triggers) {
    if (isUserTable(table) || REFERENCES.includes(table))
      faults.push(`${name} is a trigger on ${table}`)
    else if (mentions(body, [...USER_TABLES, ...REFERENCES]))
      faults.push(`${name} on ${table} touches user data`)
  }

  const rules = await rowsOf<{ table: string }>(`
    select tablename as table from pg_rules where schemaname = 'public'
    union all
    select relation.relname from pg_policy join pg_class relation on relation.oid = polrelid`)
  for (const { table } of rules)
    if (isUserTable(table)) faults.push(`${table} has a rule or a policy`)

  const kinds = await rowsOf<{ table: string; kind: string; child: boolean }>(`
    select
      relation.relname as table, relation.relkind as kind,
      exists (select from pg_inherits where inhrelid = relation.oid or inhparent = relation.oid) as child
    from pg_class relation
    where relation.relnamespace = 'public'::regnamespace`)
  for (const { table, kind, child } of kinds)
    if (isUserTable(table) && (kind !== 'r' || child)) faults.push(`${table} is no plain table`)

  const routines = await rowsOf<{ name: string; body: string; parameters: string[] }>(`
    select proname as name, prosrc as body, coalesce(proargnames, '{}') as parameters
    from pg_proc
    where pronamespace = 'public'::regnamespace and prokind in ('f', 'p') and prorettype <> 'trigger'::regtype`)
  for (const { name, body, parameters } of routines) {
    if (!mentions(body, USER_TABLES)) continue
    for (const { table, alias, depth } of mentionsOf(body)) {
      const named = parameters.map((parameter) => `account_id = ${parameter}\\b`).join('|')
      const inserts = new RegExp(`into ${table}\\b[^(]*\\(account_id, `).test(body)
      if (!inserts && (named === '' || !new RegExp(named).test(body)))
        faults.push(`${name} reads ${table} ${alias} at ${depth} without an account`)
    }
    for (const table of tablesOf(body))
      if (
        !isUserTable(table) &&
        !REFERENCES.includes(table) &&
        columns.some((column) => column.table === table)
      )
        faults.push(`${name} touches ${table}`)
  }
  return faults
}

type Mention = { verb: string; table: string; alias: string; depth: number; at: number }

/** Keywords that may follow a table name without an alias. */
const AFTER_TABLE =
  '(?:where|set|on|order|cross|join|left|values|returning|group|limit|for|using|offset|select|union|full|inner)\\b'

const plain = (text: string) => text.replaceAll(/--[^\n]*/g, '').replaceAll('"', '')

const depthAt = (text: string, end: number) => {
  let depth = 0
  for (let at = 0; at < end; at += 1)
    if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
  return depth
}

/** Finds the tables with user data in a statement. */
export function mentionsOf(text: string): Mention[] {
  const pattern = new RegExp(
    `\\b(from|join|update|into|using|,)\\s+(${USER_TABLE})\\b(?!\\.)(?:\\s+(?:as\\s+)?(?!${AFTER_TABLE})(\\w+))?`,
    'g',
  )
  const sent = plain(text)
  return [...sent.matchAll(pattern)].map(({ 1: verb = '', 2: table = '', 3: alias, index }) => ({
    verb,
    table,
    alias: alias ?? table,
    depth: depthAt(sent, index),
    at: index,
  }))
}

/** Returns the names after `from`, `join` and the like: tables, views, CTEs and functions. */
const tablesOf = (text: string) => [
  ...new Set(
    [
      ...plain(text).matchAll(
        /\b(?:from|join|update|into|using|exists \(select from)\s+(?:only\s+)?(\w+)\b(?!\s*\()/g,
      ),
    ].map(([, name = '']) => name),
  ),
]

const RESERVED = new Set(['lateral', 'select', 'unnest', 'set', 'nothing', 'update', 'values'])

/** Names in the schema that the rules for statements need. */
export type KnownNames = {
  /** Tables and views. */
  relations: ReadonlySet<string>
  /** Functions of which no overload is immutable. */
  changing: ReadonlySet<string>
  /** Functions that take a row of a table with user data. */
  ofRows: ReadonlySet<string>
  /** Functions that only the coordinator has. */
  local: ReadonlySet<string>
}

export async function readKnownNames(db: Database): Promise<KnownNames> {
  const namesOf = async (text: string) =>
    new Set((await sql.raw<{ name: string }>(text).execute(db)).rows.map(({ name }) => name))
  return {
    relations: await namesOf(`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p')`),
    changing: await namesOf(
      `select proname as name from pg_proc group by proname having bool_and(provolatile <> 'i')`,
    ),
    ofRows: await namesOf(`
      select function.proname as name
      from pg_proc function
      join pg_type type on type.oid = any(function.proargtypes)
      join pg_class relation on relation.oid = type.typrelid
      where relation.relname in (${USER_TABLES.map((table) => `'${table}'`).join(', ')})`),
    local: await namesOf(`
      select proname as name from pg_proc
      where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
        and proname not in (${DISTRIBUTED_FUNCTIONS.map((name) => `'${name}'`).join(', ')})
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`),
  }
}

/** Returns the faults of a statement that prevent it from running on the machines that store the user data. */
export function shapeFaults(
  text: string,
  { relations, changing, ofRows, local }: KnownNames,
): string[] {
  const found = mentionsOf(text)
  if (found.length === 0) return []
  const sent = plain(text)
  const faults: string[] = []
  for (const name of tablesOf(text))
    if (
      relations.has(name) &&
      !USER_TABLES.includes(name) &&
      !REFERENCES.includes(name) &&
      !RESERVED.has(name)
    )
      faults.push(`touches ${name}`)

  for (const { 0: clause } of sent.matchAll(
    /\bset\b[\s\S]*?(?=\bwhere\b|\bfrom\b|\breturning\b|$)/g,
  ))
    for (const branch of casesOf(clause))
      for (const call of changingCalls(branch, changing))
        faults.push(`${call} in a case of an update`)

  for (const clause of conflictClauses(sent))
    for (const call of changingCalls(clause, changing)) faults.push(`${call} in an upsert`)

  for (const [, name = ''] of sent.matchAll(/\b(\w+)\s*\(/g))
    if (local.has(name) && !ofRows.has(name))
      faults.push(`${name}() exists on the coordinator only`)

  const acrossAccounts = found.filter((mention) => !hasAccount(sent, mention))
  if (new Set(acrossAccounts.map(({ table }) => table)).size > 1)
    faults.push('several tables without an account')
  if (acrossAccounts.length > 0 && /\bfor (?:no key update|update|key share|share)\b/.test(sent))
    faults.push('row locks across accounts')
  if (/\bctid\b/.test(sent)) faults.push('ctid')

  for (const { alias } of found)
    for (const [, name = ''] of sent.matchAll(new RegExp(`\\b(\\w+)\\(\\s*${alias}\\s*[,)]`, 'g')))
      if (ofRows.has(name)) faults.push(`${name}() takes a row`)

  if (new RegExp(`into (?:${USER_TABLE})\\b[^;]*?\\bvalues\\s*\\([^;]*\\(\\s*select\\b`).test(sent))
    faults.push('a subquery in the values of an insert')

  for (const { index } of sent.matchAll(/\blateral\s*\(/g)) {
    const inner = partFrom(sent, sent.indexOf('(', index) + 1)
    if (mentionsOf(inner).length > 0) faults.push('a lateral subquery reads user data')
  }
  const ctes = new Set(
    [
      ...sent.matchAll(
        /(?:\bwith(?:\s+recursive)?|,)\s+(\w+)\s+as\s+(?:materialized\s+|not materialized\s+)?\(/g,
      ),
    ].map(([, name = '']) => name),
  )
  for (const { depth, at, alias } of found) {
    if (depth === 0) continue
    // A subquery that compares its account with that of a CTE is correlated, so no machine can run it alone.
    const inner = partFrom(sent, at)
    const correlated = new RegExp(`\\b${alias}\\.account_id = (\\w+)\\.account_id`).exec(inner)
    if (correlated && ctes.has(correlated[1] ?? ''))
      faults.push(`${alias} is correlated with a CTE`)
  }
  return faults
}

/**
 * Returns the expressions of `on conflict` that a distributed database checks: the condition of the index, the new
 * values and the condition of the update.
 */
function conflictClauses(sent: string): string[] {
  const clauses: string[] = []
  for (const { index } of sent.matchAll(/\bon conflict\b/g)) {
    const [, table = ''] = [...sent.slice(0, index).matchAll(/\binsert into (\w+)/g)].at(-1) ?? []
    if (![...USER_TABLES, ...REFERENCES].includes(table)) continue
    clauses.push(partFrom(sent, index).split(/\breturning\b/)[0] ?? '')
  }
  return clauses
}

/** Returns the calls of functions that are not immutable, and the times, in a part of a statement. */
const changingCalls = (part: string, changing: ReadonlySet<string>) =>
  [...part.matchAll(/\b(\w+)\s*\(|\b(?=current_|local)/g)]
    .map(([, name = '']) => name)
    .filter((name) => changing.has(name) || name === '')
    .map((name) => (name === '' ? 'a time' : `${name}()`))

/** Returns the outermost `case … end` expressions of a part of a statement. */
function casesOf(part: string): string[] {
  const cases: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: word, index } of part.matchAll(/\b(?:case|end)\b/g)) {
    if (word === 'case' && depth === 0) start = index
    depth += word === 'case' ? 1 : -1
    if (word === 'end' && depth === 0) cases.push(part.slice(start, index))
  }
  return cases
}

/** Whether a condition restricts a mention to one account, or an insert lists `account_id` first. */
function hasAccount(sent: string, { verb, table, alias }: Mention): boolean {
  if (verb === 'into') return new RegExp(`into ${table}\\b[^(]*\\(account_id, `).test(sent)
  const names = alias === table ? `(?:${alias}\\.)?` : `${alias}\\.`
  return new RegExp(`(?<![\\w.])${names}account_id = (?:\\$\\d|\\w+\\.)`).test(sent)
}

/** Returns the text from a place to the end of its innermost parenthesis. */
function partFrom(text: string, start: number): string {
  let depth = 0
  for (let at = start; at < text.length; at += 1)
    if (text[at] === '(') depth += 1
    else if (text[at] === ')' && (depth -= 1) < 0) return text.slice(start, at)
  return text.slice(start)
}

/** Returns mentions of tables that no condition restricts to an account of the request. */
export function accountFaults(
  { sql: text, parameters }: SentStatement,
  accounts: number[],
): string[] {
  const found = mentionsOf(text)
  return found
    .filter((mention) => {
      const { verb, table, alias, depth } = mention
      if (!hasAccount(plain(text), mention)) return true
      if (verb === 'into') return false
      const condition = new RegExp(
        `(?<![\\w.])(?:${alias}\\.)?account_id = (?:\\$(\\d+)|(\\w+)\\.account_id)`,
        'g',
      )
      return ![...plain(text).matchAll(condition)].some(([whole, parameter, other]) => {
        if (!whole.startsWith(`${alias}.`) && alias !== table) return false
        // A comparison with the account of another row counts only in the same part of the statement.
        if (parameter === undefined)
          return found.some(
            (mention) =>
              mention.alias === other && mention.alias !== alias && mention.depth === depth,
          )
        return accounts.includes(Number(parameters[Number(parameter) - 1]))
      })
    })
    .map(({ verb, table, alias }) => `${verb} ${table} ${alias}`)
}

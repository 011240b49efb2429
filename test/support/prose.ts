import { readFile } from 'node:fs/promises'
import { parseSync, Visitor } from 'oxc-parser'

export type Passage = {
  /** Line number, starting at 1. */ line: number
  kind: 'docstring' | 'comment' | 'test name' | 'text'
  text: string
}

/** Functions whose first argument names a test. */
const TEST_FUNCTIONS = new Set([
  'describe',
  'it',
  'test',
  'describeOnEachDatabase',
  'describeOnDatabase',
])

/** Returns all comments and test names of a script, and all paragraphs or values of any other text file. */
export async function passagesOf(file: URL): Promise<Passage[]> {
  const text = await readFile(file, 'utf8')
  const extension = file.pathname.slice(file.pathname.lastIndexOf('.') + 1)
  switch (extension) {
    case 'ts':
    case 'js':
      return passagesOfScript(file.pathname, text)
    case 'sql':
      return matches(text, /--[ \t]?(.+(?:\n[ \t]*--.*)*)/g, 'comment')
    case 'css':
      return matches(text, /\/\*([^]*?)\*\//g, 'comment')
    case 'json':
      return matches(text, /"[^"]*": "((?:[^"\\]|\\.)+)"/g, 'text')
    default:
      return matches(text.replaceAll(/```[^]*?```/g, blank), /(\S(?:.|\n(?!\s*\n))*)/g, 'text')
  }
}

const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ')

function passagesOfScript(path: string, source: string): Passage[] {
  const { comments, program } = parseSync(path, source)
  const passages: Passage[] = comments.map(({ type, value, start }) => ({
    line: lineAt(source, start),
    kind: type === 'Block' && value.startsWith('*') ? 'docstring' : 'comment',
    text: unwrap(value),
  }))
  const add = (name: string, start: number) =>
    passages.push({ line: lineAt(source, start), kind: 'test name', text: name })
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      const root = callee.type === 'MemberExpression' ? callee.object : callee
      if (root.type !== 'Identifier' || !TEST_FUNCTIONS.has(root.name)) return
      if (first?.type === 'Literal' && typeof first.value === 'string')
        add(first.value, first.start)
      if (first?.type === 'TemplateLiteral')
        add(first.quasis.map(({ value }) => value.raw).join('…'), first.start)
    },
  }).visit(program)
  return passages
}

const matches = (text: string, pattern: RegExp, kind: Passage['kind']): Passage[] =>
  [...text.matchAll(pattern)].map(({ index, 1: found = '' }) => ({
    line: lineAt(text, index),
    kind,
    text: unwrap(found),
  }))

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length

/** Joins the lines of a comment without their markers. */
const unwrap = (comment: string) =>
  comment
    .replaceAll(/^\s*(?:\*|--)+ ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Fragments instead of sentences. A docstring begins with a verb or a noun phrase. */
const OPENINGS: Record<Passage['kind'], RegExp | undefined> = {
  docstring: /^(?:of|what|who|whose|likewise|as|those|where|so|such|the same|that)\b/i,
  comment: /^(?:of|what|whose|likewise|those|such|the same)\b/i,
  'test name': /^(?:of|what|who|whose|likewise|as|those|where|so|such|the same|that)\b/i,
  text: undefined,
}

/** Phrases of a translation, each with a common English word in its place. */
const MANNERISMS =
  /\b(?:who(?:so)?ever|some(?:body|one) else'?s|somebody|nobody|so many|there (?:is|are|was|were) none|(?:is|are|was|were) none|(?:is|are) none of|that there (?:is|are)|(?:is|are|was|were) (?:not )?(?:told|said)|stands? there|comes? to itself|who looks|what is for adults|likewise|(?<!`)beside|meanwhile(?!,)|for long(?=[.,;]|$)|another (?:\w+ )?than|an? \w+ of (?:its|their) own|a kind of (?:entries|works|records|requests)|(?:is|are|was|were) \w+ed already|SQL of an?|data of users|maximum characters of|by rising|anew|(?:is|are) for review|therein|where(?:of|by)|thereof|at the start(?! of)|(?:records|entries|names|volumes) of (?:several|two|different|other) sources|pictures of (?:bangumi|the sources)|(?:has|have) (?:\w+ ){0,2}\d[\d.,]* ?[kmg]i?b|an? (?:\w+ )?change of(?! credentials)|(?:hooks?|streams?|methods?|log function) of (?:fastify|kysely|node|pino)|up to date with|one of (?:a hundred|this many)|not fit(?= `)|the log says so|the one of|those in between|before the routes|(?:tokens?|scopes?|values?|limit|fields?|ids?|anything else) returns? [2-5]\d\d|(?:server|database) of [a-z]+_url|(?:is|are|was|were|been) given up|some \d[\d.,]*)\b/i

/** Further phrases of a translation, which comments no longer contain. */
const MANNERISMS_OF_COMMENTS =
  /\b(?:mails|an? (?:\w+ )?mail(?! (?:server|port))|errors of (?:Fastify|Kysely|Node|Redis|PostgreSQL|the library)|(?:is|are|was|were) not (?:\w+ed|written|read|sent|known|run) yet|(?:with|of) a number of|clock difference|both included|in any way|completely or not at all|any other text(?! file)|in a text|if (?:a|the) text is|[45]\d\d is the same)\b/i

/** Returns the words of a passage that read as a translation. */
export const faultOf = ({ kind, text }: Passage) =>
  text.match(OPENINGS[kind] ?? /$^/)?.[0] ??
  text.match(MANNERISMS)?.[0] ??
  (kind === 'comment' || kind === 'docstring' ? text.match(MANNERISMS_OF_COMMENTS)?.[0] : undefined)

import { createHash } from 'node:crypto'
import { statementNameOf } from '../statement.ts'

/**
 * Maximum number of prepared statements that are not declared, such as filtered lists and queries by Kysely. Others
 * are parsed each time, which limits the database's memory use.
 */
const MAX_ASSEMBLED_STATEMENTS = 300

/**
 * Creates a function that names statements by their text. A named statement is parsed and planned once per connection,
 * which makes a one-row read 2.4 times as fast (docs/performance.md). Use it only for statements with parameters,
 * because text without parameters may hold several statements.
 */
export function statementNames() {
  const names = new Map<string, string>()
  let assembled = 0
  return (text: string): string | undefined => {
    const known = names.get(text)
    if (known) return known
    if (statementNameOf(text) === undefined) {
      if (assembled >= MAX_ASSEMBLED_STATEMENTS) return undefined
      assembled += 1
    }
    const name = createHash('sha1').update(text).digest('base64url')
    names.set(text, name)
    return name
  }
}

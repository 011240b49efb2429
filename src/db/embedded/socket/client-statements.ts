import { SOCKET_STATEMENT } from '../restore-session.ts'
import { ConnectionEndedError, malformed } from './message-reader.ts'
import { message, stringsOf } from './messages.ts'

/** Maximum number of prepared statements of a client, which limits the database's memory use. */
const MAX_STATEMENTS = 1_000

/** Renames a client's prepared statements, because all clients and the service share one session. */
export class ClientStatements {
  readonly #client: number
  /** Names in PostgreSQL, keyed by the client's names. */
  readonly #names = new Map<string, string>()
  #count = 0
  /** Whether the unnamed statement is this client's. */
  #hasUnnamed = false

  constructor(client: number) {
    this.#client = client
  }

  /** Returns all names that this client may have left in PostgreSQL. A Close that it sent may not have run. */
  names() {
    return Array.from({ length: this.#count }, (_, index) => this.#ownName(index + 1))
  }

  /** Call it when other clients get the connection, because they replace the unnamed statement. */
  forgetUnnamed() {
    this.#hasUnnamed = false
  }

  /**
   * Returns a copy of the message in which the client's statement names are replaced by the names used in PostgreSQL.
   */
  renamed(type: string, next: Buffer): Buffer {
    const content = next.subarray(5)
    if (type === 'P') {
      const [name = ''] = stringsOf(content)
      return message('P', replaceString(content, 0, this.#declare(name)))
    }
    if (type === 'B') {
      const portalEnd = content.indexOf(0) + 1
      return message(
        'B',
        replaceString(content, portalEnd, this.#nameOf(nameAt(content, portalEnd))),
      )
    }
    const isOfStatement = (type === 'D' || type === 'C') && content[0] === 'S'.charCodeAt(0)
    if (!isOfStatement) return next
    const name = nameAt(content, 1)
    const own = this.#nameOf(name)
    if (type === 'C') this.#names.delete(name)
    return message(type, replaceString(content, 1, own))
  }

  #declare(name: string): string {
    if (name === '') {
      this.#hasUnnamed = true
      return ''
    }
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size >= MAX_STATEMENTS)
      throw new ConnectionEndedError('54000', `More than ${MAX_STATEMENTS} prepared statements`)
    const own = this.#ownName((this.#count += 1))
    this.#names.set(name, own)
    return own
  }

  /**
   * Returns the name of a statement in PostgreSQL. If the client has no such statement, returns a name that no
   * statement has.
   */
  #nameOf(name: string): string {
    if (name === '' && this.#hasUnnamed) return ''
    return this.#names.get(name) ?? this.#ownName(0)
  }

  #ownName(number: number) {
    return `${SOCKET_STATEMENT}${this.#client}_${number}`
  }
}

const nameAt = (content: Buffer, start: number) =>
  content.toString('utf8', start, Math.max(start, content.indexOf(0, start)))

/** Replaces the string at `start`. */
function replaceString(content: Buffer, start: number, name: string): Buffer {
  const end = content.indexOf(0, start)
  if (end < 0) throw malformed('Invalid string in message')
  return Buffer.concat([content.subarray(0, start), Buffer.from(name), content.subarray(end)])
}

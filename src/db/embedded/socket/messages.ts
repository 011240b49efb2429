/** Messages of PostgreSQL's wire protocol, version 3 (PostgreSQL manual, “Message Formats”). */

/** Creates a message: type, length without the type, content. */
export function message(type: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + content.length, 1)
  return Buffer.concat([head, content])
}

const strings = (...texts: string[]) => Buffer.from(texts.map((text) => `${text}\0`).join(''))

const int32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value, 4 * index)
  return bytes
}

export const query = (text: string) => message('Q', strings(text))
export const sync = () => message('S')
export const parse = (name: string, text: string) =>
  message('P', Buffer.concat([strings(name, text), Buffer.alloc(2)]))
export const closeStatement = (name: string) => message('C', strings(`S${name}`))
export const copyFail = (reason: string) => message('f', strings(reason))

export const authenticationOk = () => message('R', int32(0))
export const parameterStatus = (name: string, value: string) => message('S', strings(name, value))
export const backendKeyData = (pid: number, secret: number) => message('K', int32(pid, secret))
export const readyForQuery = () => message('Z', Buffer.from('I'))
/** Announces version 3.0 to a client that requested a later one. */
export const negotiateVersion = (unknownOptions: string[]) =>
  message('v', Buffer.concat([int32(3 << 16, unknownOptions.length), strings(...unknownOptions)]))
/** Tells the client to send the data of a `copy … from stdin`; columns are not described. */
export const copyInResponse = (isBinary: boolean) =>
  message('G', Buffer.from([isBinary ? 1 : 0, 0, 0]))

/** Code of the notice to a client that waits for others, in PostgreSQL's class of warnings. */
export const WAITING_NOTICE = '01W01'

/** Creates an error or notice. `code` is an SQLSTATE. */
export function reportMessage(severity: 'FATAL' | 'NOTICE', code: string, text: string): Buffer {
  const fields = strings(`S${severity}`, `V${severity}`, `C${code}`, `M${text}`)
  return message(severity === 'NOTICE' ? 'N' : 'E', Buffer.concat([fields, Buffer.alloc(1)]))
}

/** Splits content into its strings, each of which ends with NUL. */
export const stringsOf = (content: Buffer): string[] => content.toString().split('\0').slice(0, -1)

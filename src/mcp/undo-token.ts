import { createHmac } from 'node:crypto'
import { isSameSecret } from '../kernel/opaque-tokens.ts'
import { ToolError } from './tool.ts'

/** Time, in milliseconds, for which a change can be undone. */
const UNDO_LIFETIME_MS = 24 * 3_600_000

const macOf = (key: string, text: string) =>
  createHmac('sha256', key).update(`undo ${text}`).digest('base64url')

/**
 * Returns a token for undoing a change. It is signed, so that an agent cannot use it to write other values.
 *
 * @param facts tool, account and values before and after the change
 */
export function issueUndoToken(key: string, facts: object, now = Date.now()): string {
  const text = Buffer.from(JSON.stringify({ ...facts, until: now + UNDO_LIFETIME_MS })).toString(
    'base64url',
  )
  return `${text}.${macOf(key, text)}`
}

/**
 * Returns the facts of an undo token.
 *
 * @throws {ToolError} if the token is forged, expired, or of another tool or account
 */
export function readUndoToken(
  key: string,
  token: string,
  expected: { tool: string; account: string | undefined },
  now = Date.now(),
): unknown {
  const [text = '', mac = ''] = token.split('.')
  const isSigned = isSameSecret(mac, macOf(key, text))
  // as: the text was signed by `issueUndoToken`
  const facts = (isSigned ? JSON.parse(Buffer.from(text, 'base64url').toString()) : {}) as {
    tool?: string
    account?: string
    until?: number
  }
  const { tool, account, until = 0 } = facts
  if (until < now || tool !== expected.tool || account !== expected.account)
    throw new ToolError(
      'UNDO_INVALID',
      'This undo token is unknown, older than a day, or belongs to another tool or user.',
    )
  return facts
}

import { errorCode } from '../../kernel/error-code.ts'
import { isJsonObject } from '../../kernel/is-json-object.ts'
import { fault, type Finding, type FindingCode } from '../finding.ts'
import { detailOf, isTlsFailure, whyOf } from '../why.ts'

/** Findings, keyed by nodemailer's error code. */
const BY_CODE: Record<string, FindingCode> = {
  EAUTH: 'mail.login',
  ENOAUTH: 'mail.login',
  ETLS: 'mail.tls',
  EREQUIRETLS: 'mail.tls',
}

/** Findings, keyed by the SMTP command that the server rejected. */
const BY_COMMAND: Record<string, FindingCode> = {
  'MAIL FROM': 'mail.sender',
  'RCPT TO': 'mail.recipient',
}

/** Explains why a mail server did not accept a connection or an email. */
export function explainMailFailure(error: unknown): Finding {
  const detail = detailOf(error)
  const facts: Record<string, unknown> = isJsonObject(error) ? error : {}
  const { originalCode, command } = facts
  const code = errorCode(error) ?? ''
  const cause = typeof originalCode === 'string' ? originalCode : code
  const known =
    BY_COMMAND[String(command)] ?? BY_CODE[code] ?? (isTlsFailure(cause) ? 'mail.tls' : undefined)
  if (known !== undefined) return fault(known, { detail })
  if (command !== 'CONN' && 'responseCode' in facts) return fault('mail.rejected', { detail })
  const why = whyOf(Object.assign(new Error(detail), { code: cause }))
  return fault('mail.unreachable', { why, detail })
}

import { randomBytes } from 'node:crypto'
import { newToken } from '../kernel/opaque-tokens.ts'
import { isDocumentUrl } from './rules/client-documents.ts'

/** Prefixes that make a leaked id or secret easy to find with grep (decision 0012). */
const CLIENT_ID_PREFIX = 'mk_'
const SECRET_PREFIX = 'mks_'

/** Returns `mk_` and 16 random characters of base64url. */
export const newClientId = () => CLIENT_ID_PREFIX + randomBytes(12).toString('base64url')

/** Whether a string has the form of a client id, of a registered app or of one described by a document. */
export const isClientId = (text: string) =>
  /^[A-Za-z0-9_-]{1,64}$/.test(text) || isDocumentUrl(text)

/** Returns `mks_` and 43 random characters of base64url: 256 bits. */
export const newClientSecret = () => SECRET_PREFIX + newToken()

/** Placeholder with the length of a hash. It matches no secret. */
export const NO_SECRET_HASH = '.'.repeat(43)

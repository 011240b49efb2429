import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits in base64url. */
export const newToken = () => randomBytes(32).toString('base64url')

/** Whether a text could be a token of ours. */
export const isToken = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

/** What is stored in place of a token that lets its bearer in: its SHA-256 in base64url. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')

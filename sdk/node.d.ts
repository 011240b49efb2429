import type { Lock, TokenStore } from './index.js'

/** Keeps tokens in a file that only its owner can read. */
export function fileStore(path: string): TokenStore
/** Runs one function at a time across the processes that use the same path. */
export function fileLock(path: string): Lock
/** Listens at a redirect URI on loopback. Open the browser afterwards, and wait for `redirected`. */
export function listenForRedirect(
  redirectUri: string,
  text?: string,
): Promise<{ redirected: Promise<string>; close(): void }>

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Files that set cookies, with the names of the constants and the reason why a forged cookie does no harm. */
const SETTERS: Record<string, { cookies: string[]; because: string }> = {
  'src/ui/forms/signed-cookie.ts': {
    cookies: ['this.name'],
    because: 'Signed, and bound to its name and account.',
  },
  'src/ui/page/page-context.ts': {
    cookies: ['LANGUAGE_COOKIE'],
    because: 'One of a few known words; changes how pages look.',
  },
  'src/site/library/library-query.ts': {
    cookies: ['COLUMNS_COOKIE', 'VIEW_COOKIE'],
    because: 'Only a few known words are read; they change how lists look.',
  },
  'src/identity/browser/sign-in/complete-sign-in.ts': {
    cookies: ['cookie'],
    because: 'A random token that is looked up by its hash and grants no access.',
  },
  'src/accounts/form-drafts.ts': {
    cookies: ['nameOf(request)'],
    because:
      'A random token that is looked up by its hash; the draft is shown to the account that wrote it only.',
  },
}

/** Files that write `Set-Cookie` directly. */
const HEADERS = [
  // The OpenID provider signs the session it sets.
  'src/identity/browser/browser-session.ts',
  // A language or theme from a fixed set, also set where no cookie plugin is registered.
  'src/identity/provider/provider-pages.ts',
  // Adds `Max-Age` to the cookies of the OpenID provider.
  'src/identity/provider/requests/cookie-ages.ts',
  'src/ui/forms/preference-links.ts',
]

it('the service sets no cookie with unsigned state', async () => {
  const setters = new Map<string, string[]>()
  const headers: string[] = []
  for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue
    const source = readFileSync(join(ROOT, file), 'utf8')
    const names = [...source.matchAll(/\.setCookie\(\s*([^,\s]+),/g)].map(([, name = '']) => name)
    if (names.length > 0) setters.set(file, [...new Set(names)].toSorted())
    if (/['"`]set-cookie/i.test(source)) headers.push(file)
  }
  assert.deepEqual(
    Object.fromEntries([...setters].toSorted()),
    Object.fromEntries(
      Object.entries(SETTERS)
        .map(([file, { cookies }]) => [file, cookies])
        .toSorted(),
    ),
    'Use SignedCookie for state in the browser',
  )
  assert.deepEqual(headers.toSorted(), HEADERS)
})

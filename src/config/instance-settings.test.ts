import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { temporaryFolder } from '#test/program.ts'
import { settingFaults } from '#test/settings.ts'
import { readConfig } from './config.ts'
import { listEffectiveSettings, listSecretFiles } from './effective-settings.ts'
import { findUnknownSettings } from './unknown-settings.ts'

describe('the settings of the instance', () => {
  it('accept an email address or a page as the security contact', () => {
    for (const given of ['mailto:security@host.example', 'https://host.example/report']) {
      assert.equal(readConfig({ CONTACT: given }).contact, given)
      assert.equal(readConfig({ SECURITY_CONTACT: given }).publicContact, given)
    }
    for (const given of [
      'security@host.example',
      'mailto:security',
      'mailto:a@b.example?subject=x',
      'mailto:a@b.example,c@d.example@e',
      'http://host.example/report',
      'javascript:alert(1)',
    ])
      assert.throws(() => readConfig({ CONTACT: given }), /CONTACT/, given)
  })

  it('accept mail domains in any script, and normalize them', () => {
    assert.deepEqual(
      readConfig({
        SIGN_UP_MAIL_DOMAINS: 'Example.ORG, .example.net,bücher.example,ｅｘａｍｐｌｅ.com',
      }).signUpMailDomains,
      ['example.org', '.example.net', 'xn--bcher-kva.example', 'example.com'],
    )
    for (const given of [
      '*.example.org',
      'a@example.org',
      'example.org.',
      '..example.org',
      'example',
      'example.org,',
      'two words.org',
      'https://example.org',
      '127.0.0.1',
      '.',
    ])
      assert.throws(
        () => readConfig({ SIGN_UP_MAIL_DOMAINS: given }),
        /SIGN_UP_MAIL_DOMAINS/,
        given,
      )
  })
})

describe('the settings of sign-in providers', () => {
  const { path: folder, remove } = temporaryFolder()
  after(remove)
  const GOOGLE = {
    UPSTREAM_PROVIDERS: 'google',
    UPSTREAM_GOOGLE_ISSUER: 'https://accounts.google.com/',
    UPSTREAM_GOOGLE_CLIENT_ID: 'id',
    UPSTREAM_GOOGLE_CLIENT_SECRET: 'secret',
  }

  it('are read for each provider that UPSTREAM_PROVIDERS names', () => {
    const { upstreamProviders } = readConfig({
      ...GOOGLE,
      UPSTREAM_PROVIDERS: 'google, club',
      UPSTREAM_CLUB_ISSUER: 'http://localhost:9000/oidc',
      UPSTREAM_CLUB_CLIENT_ID: 'library',
      UPSTREAM_CLUB_CLIENT_SECRET: 'other',
      UPSTREAM_CLUB_LABEL: 'The book club',
    })
    assert.deepEqual(upstreamProviders, [
      {
        name: 'google',
        issuerUrl: 'https://accounts.google.com/',
        issuer: 'https://accounts.google.com',
        clientId: 'id',
        clientSecret: 'secret',
        label: 'google',
      },
      {
        name: 'club',
        issuerUrl: 'http://localhost:9000/oidc',
        issuer: 'http://localhost:9000/oidc',
        clientId: 'library',
        clientSecret: 'other',
        label: 'The book club',
      },
    ])
  })

  it('accept a client secret that is stored in a file', () => {
    const file = join(folder, 'secret')
    writeFileSync(file, 'from a file\n')
    const environment = {
      ...GOOGLE,
      UPSTREAM_GOOGLE_CLIENT_SECRET: '',
      UPSTREAM_GOOGLE_CLIENT_SECRET_FILE: file,
    }
    assert.equal(readConfig(environment).upstreamProviders[0]?.clientSecret, 'from a file')
    assert.ok(listSecretFiles(environment).includes(file))
  })

  it('are rejected with one error per missing setting', () => {
    assert.deepEqual(settingFaults({ UPSTREAM_PROVIDERS: 'google' }), [
      'UPSTREAM_PROVIDERS names google, but UPSTREAM_GOOGLE_ISSUER is not set.',
      'UPSTREAM_PROVIDERS names google, but UPSTREAM_GOOGLE_CLIENT_ID is not set.',
      'UPSTREAM_PROVIDERS names google, but UPSTREAM_GOOGLE_CLIENT_SECRET is not set.',
    ])
  })

  it('are rejected if a name is invalid, an issuer uses plain http, or two providers have the same issuer', () => {
    for (const names of ['Google', 'a,a', 'my-club', 'a,,b', '2nd'])
      assert.match(
        settingFaults({ UPSTREAM_PROVIDERS: names })[0] ?? '',
        /^UPSTREAM_PROVIDERS must be/,
      )
    assert.match(
      settingFaults({ ...GOOGLE, UPSTREAM_GOOGLE_ISSUER: 'http://accounts.google.com' })[0] ?? '',
      /^UPSTREAM_GOOGLE_ISSUER must be an https URL/,
    )
    assert.match(
      settingFaults({
        ...GOOGLE,
        UPSTREAM_PROVIDERS: 'google,again',
        UPSTREAM_AGAIN_ISSUER: 'https://Accounts.Google.com:443/',
        UPSTREAM_AGAIN_CLIENT_ID: 'id',
        UPSTREAM_AGAIN_CLIENT_SECRET: 'secret',
      })[0] ?? '',
      /^UPSTREAM_PROVIDERS names google and again, which have the same issuer/,
    )
  })

  it('are rejected without printing the secret if it is invalid', () => {
    const [fault = ''] = settingFaults({ ...GOOGLE, UPSTREAM_GOOGLE_CLIENT_SECRET: 'two\nlines' })
    assert.match(fault, /^UPSTREAM_GOOGLE_CLIENT_SECRET must be one line/)
    assert.doesNotMatch(fault, /two/)
  })

  it('cause no warning unless a name is misspelled', () => {
    assert.deepEqual(findUnknownSettings(GOOGLE, folder), [])
    const { UPSTREAM_GOOGLE_CLIENT_ID: _id, ...rest } = GOOGLE
    assert.deepEqual(findUnknownSettings({ ...rest, UPSTREAM_GOOGLE_CLIENT_IDS: 'id' }, folder), [
      'UPSTREAM_GOOGLE_CLIENT_IDS is not a setting and has no effect. Did you mean UPSTREAM_GOOGLE_CLIENT_ID?',
    ])
  })

  it('are listed as effective settings without the secret', () => {
    const listed = listEffectiveSettings(GOOGLE, folder)
    const secret = listed.find(({ name }) => name === 'UPSTREAM_GOOGLE_CLIENT_SECRET')
    assert.equal(secret?.isSet, true)
    assert.equal(secret.value, undefined)
    assert.ok(
      listed.some(({ name, value }) => name === 'UPSTREAM_GOOGLE_CLIENT_ID' && value === 'id'),
    )
  })
})

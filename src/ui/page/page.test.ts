import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../html.ts'
import { LANGUAGES } from '../../i18n/languages.ts'
import { messagesIn } from '../messages.ts'
import { PAGE_HEADERS, renderPage } from './page.ts'

const page = (options = {}) =>
  renderPage({
    language: 'ja',
    messages: messagesIn('ja'),
    title: '<Title>',
    body: html`<p>Body</p>`,
    ...options,
  })

describe('renderPage', () => {
  it('renders a document in its language with an icon, one stylesheet and an escaped title', () => {
    const text = page()
    assert.match(text, /^<!doctype html>\n<html lang="ja">/)
    assert.match(text, /<title>&lt;Title&gt; · mokuroku<\/title>/)
    assert.match(text, /<meta name="viewport" content="width=device-width, initial-scale=1">/)
    assert.match(text, /<link rel="icon" href="\/assets\/favicon.svg" type="image\/svg\+xml">/)
    assert.equal(text.match(/<link rel="stylesheet" /g)?.length, 1)
    assert.match(text, /<main id="content" class="narrow" tabindex="-1">\s*<p>Body<\/p>\s*<\/main>/)
  })

  it('links to the page in every language with the same query, and marks the current language', () => {
    const text = page({ path: '/sign-in?return=%2Fa&lang=xx&b="' })
    const links = [
      ...text.matchAll(/<a href="([^"]*)" lang="([^"]*)"[^>]*?( aria-current="true")?>/g),
    ]
    assert.deepEqual(
      links.map(([, href, language, current]) => [href, language, current !== undefined]),
      LANGUAGES.map((language) => [
        `/sign-in?return=%2Fa&amp;b=%22&amp;lang=${language}`,
        language,
        language === 'ja',
      ]),
    )
  })

  it('loads the scripts that a view names, and renders a wide page on request', () => {
    const text = page({ scripts: ['/assets/a.js', '/assets/b.js'], wide: true })
    assert.match(
      text,
      /<script src="\/assets\/a.js" defer><\/script>\s*<script src="\/assets\/b.js" defer>/,
    )
    assert.match(text, /<main id="content" class="wide"/)
  })

  it('forbids inline scripts, frames and another base, but not redirects after forms', () => {
    const policy = PAGE_HEADERS['content-security-policy']
    assert.match(
      policy,
      /default-src 'none'.*script-src 'self'.*base-uri 'none'.*frame-ancestors 'none'/,
    )
    assert.doesNotMatch(policy, /unsafe|form-action/)
  })
})

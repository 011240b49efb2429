import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { render } from './render-markdown.ts'

const bodyOf = (text: string) => render(text).body.toString()

describe('the operator’s Markdown', () => {
  it('has headings with IDs, lists, tables, quotes and links', () => {
    const { title, body } = render(`# Terms *of* use

## 1. Scope
See [below](#データ), [here](/privacy), [there](https://a.example/) or [write](mailto:a@b.example).

## データ

| a | b |
|---|---|
| 1 | 2 |

> Quote

1. One
   - Two
`)
    assert.equal(title, 'Terms of use')
    const text = body.toString()
    assert.doesNotMatch(text, /<h1/)
    assert.match(text, /<h2 id="1-scope">1\. Scope<\/h2>/)
    assert.match(text, /<a href="#%E3%83%87%E3%83%BC%E3%82%BF">/)
    assert.match(text, /<h2 id="データ">/)
    assert.match(text, /<div class="scrolling" tabindex="0"><table>/)
    for (const href of ['/privacy', 'https://a.example/', 'mailto:a@b.example'])
      assert.ok(text.includes(`<a href="${href}">`), href)
    assert.match(text, /<blockquote>/)
    assert.match(text, /<ol>\n<li>One\n<ul>/)
  })

  it('has no title unless its first heading is of level one', () => {
    assert.equal(render('## A').title, undefined)
    assert.equal(render('').title, undefined)
  })

  it('shows HTML as text', () => {
    for (const html of [
      '<script>alert(1)</script>',
      'a <img src=x onerror=alert(1)> b',
      '<div onclick="x">\n\n</div>',
      '<!-- x --> <style>*{}</style>',
      '# <b>x</b>\n## <i>x</i>',
    ])
      assert.doesNotMatch(bodyOf(html), /<(script|img|div|style|b|i)\b/, html)
  })

  it('produces no links that run scripts or have unknown schemes', () => {
    for (const url of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      '&#106;avascript:alert(1)',
      'java&Tab;script:alert(1)',
      'vbscript:x',
      'data:text/html,x',
      'file:///etc/passwd',
      '//evil.example/',
    ]) {
      const texts = [`[a](${url})`, `[a](<${url}>)`, `<${url}>`, `[a][b]\n\n[b]: ${url}`]
      for (const text of texts) assert.doesNotMatch(bodyOf(text), /<a /, text)
    }
    assert.doesNotMatch(bodyOf('![a](https://a.example/x.png)'), /<img/)
    assert.doesNotMatch(bodyOf('[a](/x "title\\" onclick=\\"x")'), /" onclick/)
  })

  it('gives repeated headings different IDs', () => {
    const text = bodyOf('## A\n## A\n## <"\'>')
    assert.deepEqual(
      [...text.matchAll(/id="([^"]*)"/g)].map(([, id]) => id),
      ['a', 'a-2', 'section'],
    )
    const ids = [...bodyOf('# A\n## content\n## A 2\n## A\n## A').matchAll(/id="([^"]*)"/g)]
    assert.deepEqual(
      ids.map(([, id]) => id),
      ['content-2', 'a-2', 'a-3', 'a-4'],
    )
  })

  it('is rendered in linear time even if all headings are equal', () => {
    const started = performance.now()
    assert.match(bodyOf('#\n'.repeat(60_000)), /id="section-60000"/)
    assert.ok(performance.now() - started < 10_000)
  })
})

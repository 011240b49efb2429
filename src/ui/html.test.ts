import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Html, html } from './html.ts'

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '` onfocus=alert(1) autofocus=`',
  '</textarea><svg/onload=alert(1)>',
  '&lt;b&gt;',
  '<!--',
  '</main>\u2028<b>',
]

describe('html', () => {
  it('escapes values in text and in quoted attributes', () => {
    for (const payload of PAYLOADS) {
      const [, text = '', attribute = ''] =
        /^<p>(.*)<\/p><i title="(.*)"><\/i>$/su.exec(
          html`<p>${payload}</p><i title="${payload}"></i>`.toString(),
        ) ?? []
      assert.equal(text, attribute)
      assert.doesNotMatch(text, /[<>"'`]/, payload)
      assert.doesNotMatch(text.replaceAll(/&(amp|lt|gt|quot|#39|#96);/g, ''), /&/, payload)
    }
  })

  it('round-trips every value through an HTML parser', () => {
    assert.equal(html`${'Tom & "Jerry" <3'}`.toString(), 'Tom &amp; &quot;Jerry&quot; &lt;3')
    assert.equal(html`${'&amp;'}`.toString(), '&amp;amp;')
  })

  it('inserts templates and joins nested lists', () => {
    const items = ['a', '<b>', html`<b>${'&'}</b>`, [1, [null]]]
    assert.equal(html`<ul>${items}</ul>`.toString(), '<ul>a&lt;b&gt;<b>&amp;</b>1</ul>')
  })

  it('omits missing values, but renders zero and the empty string', () => {
    assert.equal(html`[${null}${undefined}${false}${''}${0}]`.toString(), '[0]')
  })

  it('does not accept an object that imitates Html', () => {
    // as: the shape that external JSON could have at run time
    const forged = { toString: () => '<script>' } as unknown as string
    assert.throws(() => html`${forged}`)
    assert.ok(html`<p></p>` instanceof Html)
  })
})

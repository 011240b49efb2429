import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findSvgFault, svgSize } from './check-svg.ts'

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10"${attributes}>${content}</svg>`

const SAFE = [
  '<path d="M0 0h10"/>',
  '<defs><linearGradient id="a"/></defs><rect fill="url(#a)" style="stroke: url(\'#a\')"/>',
  '<style>@media (prefers-color-scheme: dark) { path { fill: #fff } }</style>',
  '<style><![CDATA[.a { fill: url(#a) }]]></style>',
  '<use href="#a"/><use xlink:href="#a"/>',
  '<title>A &amp; B</title><!-- <script/> -->',
  '<animate attributeName="opacity" from="0" to="1"/>',
]

const UNSAFE: [content: string, reason: RegExp][] = [
  ['<script>alert(1)</script>', /element script/],
  ['<SCRIPT>alert(1)</SCRIPT>', /element SCRIPT/],
  ['<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>', /element s:script/],
  ['<path onload="alert(1)"/>', /attribute onload/],
  ['<path OnClick="alert(1)"/>', /attribute OnClick/],
  ['<foreignObject><p/></foreignObject>', /element foreignObject/],
  ['<image href="https://a.example/x.png"/>', /element image/],
  ['<feImage href="#a"/>', /element feImage/],
  ['<a href="javascript:alert(1)"><path/></a>', /element a/],
  ['<use href="https://a.example/x.svg#a"/>', /href refers to something outside/],
  ['<use xlink:href="data:image/svg+xml,x"/>', /xlink:href refers to something outside/],
  [
    '<use x:href="https://a.example/x.svg#a" xmlns:x="http://www.w3.org/1999/xlink"/>',
    /x:href refers to something outside/,
  ],
  ['<style>@import "https://a.example/x.css";</style>', /outside the file/],
  ['<style>path { fill: url(https://a.example/x) }</style>', /outside the file/],
  ['<style>path { fill: u\\72l(https://a.example/x) }</style>', /outside the file/],
  ['<style>@im<!-- -->port "x"; @<![CDATA[import "x"]]></style>', /outside the file/],
  ['<style>@import "https://a.example/x.css";<g/></style>', /styles contain the element g/],
  ['<style>@im<s:g xmlns:s="x">.a {}</s:g>port "x";</style>', /styles contain the element s:g/],
  ['<path style="fill: URL( \'https://a.example/x\' )"/>', /outside the file/],
  ['<path fill="url(//a.example/x)"/>', /outside the file/],
  ['<path style="background: image-set(\'x\' 1x)"/>', /outside the file/],
  ['<set attributeName="href" to="javascript:alert(1)"/>', /element set/],
  ['<animate attributeName="xlink:href" to="x"/>', /animates xlink:href/],
  ['<?xml-stylesheet href="https://a.example/x.css"?>', /processing instruction/],
  ['<path>', /not well-formed/],
  [`${'<g>'.repeat(200)}${'</g>'.repeat(200)}`, /too many elements/],
  ['<path/>'.repeat(6_000), /too many elements/],
]

describe('the check of an SVG', () => {
  for (const content of SAFE)
    it(`accepts ${content.slice(0, 50)}`, () => {
      assert.equal(findSvgFault(svg(content)), undefined)
    })

  for (const [content, reason] of UNSAFE)
    it(`rejects ${content.slice(0, 60)}`, () => {
      assert.match(findSvgFault(svg(content)) ?? '', reason)
    })

  it('rejects entities, another root element and a base URL', () => {
    const entity = `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg('<text>&a;</text>')}`
    assert.match(findSvgFault(entity) ?? '', /document type/)
    assert.match(findSvgFault('<html><svg/></html>') ?? '', /root element is not svg/)
    assert.match(findSvgFault(svg('', ' xml:base="https://a.example/"')) ?? '', /xml:base/)
    assert.match(findSvgFault(svg('', ' onload="x"')) ?? '', /onload/)
    assert.match(findSvgFault('') ?? '', /not well-formed/)
  })

  it('determines the aspect ratio from the viewBox, or else from width and height', () => {
    assert.deepEqual(svgSize(svg('')), { width: 10, height: 10 })
    assert.deepEqual(svgSize('<svg width="30px" height="20">'), { width: 30, height: 20 })
    assert.equal(svgSize('<svg width="0" height="20">'), undefined)
    assert.equal(svgSize('<svg viewBox="0 0 -1 x">'), undefined)
  })
})

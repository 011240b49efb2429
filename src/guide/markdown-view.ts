import { html, type Html, type Part } from '../ui/html.ts'
import type { Block } from './markdown.ts'
import { codeBlock } from '../site/components/code-block.ts'

/** What a page has for the parts that are no text. */
export type BlockViews = {
  /** Of the address of an example: `{base}` and its like. */
  fill(text: string): string
  /** What a line `::name argument` stands for. */
  made(name: string, argument: string): Part
  /** What code is called, for whoever cannot see it. */
  code: string
}

/** The HTML of a text. */
export const markdownView = (blocks: Block[], views: BlockViews): Html =>
  html`${blocks.map((block) => html`${blockView(block, views)}\n`)}`

function blockView(block: Block, { fill, made, code }: BlockViews): Part {
  switch (block.kind) {
    case 'heading':
      return headingView(block)
    case 'paragraph':
      return html`<p>${inline(block.text, fill)}</p>`
    case 'list': {
      const items = block.items.map((item) => html`<li>${inline(item, fill)}</li>`)
      return block.isOrdered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`
    }
    case 'table':
      return html`<div class="scrolling" tabindex="0" role="group" aria-label="${code}"><table><thead><tr>${block.head.map((cell) => html`<th scope="col">${inline(cell, fill)}</th>`)}</tr></thead>
<tbody>${block.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell, fill)}</td>`)}</tr>`)}</tbody></table></div>`
    case 'code':
      return codeBlock(fill(block.text), `${code} ${block.info}`.trim())
    case 'made':
      return made(block.name, block.argument)
  }
}

function headingView({ level, id, text }: Extract<Block, { kind: 'heading' }>): Html {
  if (level === 1) return html`<h1>${inline(text, String)}</h1>`
  const link = html`<a class="anchor" href="#${id}">${inline(text, String)}</a>`
  return level === 2 ? html`<h2 id="${id}">${link}</h2>` : html`<h3 id="${id}">${link}</h3>`
}

/** `code`, **strong** and [links](/to) of a line. An address is of this site or https. */
function inline(text: string, fill: (text: string) => string): Part {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith('`')) return html`<code>${fill(part.slice(1, -1))}</code>`
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    const [, label, address] = /^\[([^\]]+)\]\(((?:\/|#|https:\/\/)[^)]*)\)$/.exec(part) ?? []
    return address === undefined
      ? part
      : html`<a href="${address}">${inline(label ?? '', fill)}</a>`
  })
}

import { html, type Html, type Part } from '../ui/html.ts'
import type { Block } from './markdown.ts'
import { codeBlock } from '../site/components/code-block.ts'

/** Callbacks and labels a page provides. */
export type BlockViews = {
  /** Replaces placeholders such as `{base}` in code. */
  fill(text: string): string
  /** Renders a line `::name argument`. */
  generate(name: string, argument: string): Part
  /** Accessible name of code blocks. */
  code: string
}

/** Renders parsed Markdown as HTML. */
export const markdownView = (blocks: Block[], views: BlockViews): Html =>
  html`${blocks.map((block) => html`${blockView(block, views)}\n`)}`

function blockView(block: Block, { fill, generate: created, code }: BlockViews): Part {
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
      return created(block.name, block.argument)
  }
}

function headingView({ level, id, text }: Extract<Block, { kind: 'heading' }>): Html {
  if (level === 1) return html`<h1>${inline(text, String)}</h1>`
  const link = html`<a class="anchor" href="#${id}">${inline(text, String)}</a>`
  return level === 2 ? html`<h2 id="${id}">${link}</h2>` : html`<h3 id="${id}">${link}</h3>`
}

/** Renders `code`, **strong** and [links](/to) in a line. Links must point to this site or use https. */
function inline(text: string, fill: (text: string) => string): Part {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith('`')) return html`<code>${fill(part.slice(1, -1))}</code>`
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    const [, label, href] = /^\[([^\]]+)\]\(((?:\/|#|https:\/\/)[^)]*)\)$/.exec(part) ?? []
    return href === undefined ? part : html`<a href="${href}">${inline(label ?? '', fill)}</a>`
  })
}

import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'

/** Renders the frame of every console page: its navigation and the page. */
export function consoleFrame(
  { messages }: PageContext,
  body: Html,
  { isNarrow = false }: { isNarrow?: boolean } = {},
): Html {
  const { console: texts, guide, reference } = messages
  const links = [
    ['/console', texts.parts.apps],
    ['/guide', guide.title],
    ['/docs', reference.title],
    ['/guide/limits', guide.pages.limits],
  ] as const
  return html`<div class="console sidebar${isNarrow && ' narrow-console'}"><nav class="side-nav" aria-label="${texts.title}"><ul>${links.map(
    ([href, text], index) =>
      html`<li><a href="${href}"${index === 0 && html` aria-current="true"`}>${text}</a></li>`,
  )}</ul></nav>
<div class="console-body">${body}</div></div>`
}

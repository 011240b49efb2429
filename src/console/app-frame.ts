import type { App } from '../apps/queries.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { View } from '../ui/page/page.ts'
import { consoleFrame } from './console-frame.ts'
import { appLogo, stateTag } from './list-view.ts'
import { appPath } from './options.ts'

const SECTIONS = ['overview', 'settings', 'secrets', 'webhooks', 'usage', 'try'] as const
export type AppSection = (typeof SECTIONS)[number]

export const sectionPath = (app: App, section: AppSection) =>
  appPath(app, section === 'overview' ? '' : section)

/** Renders a page about one app: heading, tabs and an optional notice. */
export function appFrame(
  context: PageContext,
  app: App,
  {
    section,
    notice,
    body,
  }: { section: AppSection; notice?: string | Html | undefined; body: Html },
): View {
  const { console: texts } = context.messages
  return {
    title: `${texts.sections[section]} · ${app.client_name}`,
    body: consoleFrame(
      context,
      html`<p class="back"><a href="/console">← ${texts.title}</a></p>
<div class="console-head app-head cluster">${appLogo(app, 56)}<div><h1>${app.client_name}</h1><p class="quiet">${stateTag(context, app)} <code>${app.client_id}</code></p></div></div>
<nav class="sections tabs" aria-label="${app.client_name}">${SECTIONS.filter(
        (each) => each !== 'webhooks' || context.site?.webhooks === true,
      ).map(
        (each) =>
          html`<a href="${sectionPath(app, each)}"${each === section && html` aria-current="page"`}>${texts.sections[each]}</a>`,
      )}</nav>
${notice !== undefined && html`<div class="notice success" role="status"><p>${notice}</p></div>`}
<div class="section-body">${body}</div>`,
    ),
  }
}

/**
 * Renders a read-only value with a copy button, which requires JavaScript.
 *
 * @param isLong uses a textarea, so that a long value can be copied by hand
 */
export const copyField = (
  { messages: { console: texts } }: PageContext,
  id: string,
  label: string,
  value: string,
  { isLong = false }: { isLong?: boolean } = {},
): Html =>
  html`<div class="field copy"><label for="${id}">${label}</label>
<div class="copy-line">${
    isLong
      ? html`<textarea id="${id}" rows="2" readonly autocomplete="off" spellcheck="false">${value}</textarea>`
      : html`<input id="${id}" value="${value}" readonly autocomplete="off" spellcheck="false">`
  }<button type="button" class="secondary" data-copy="${id}" data-copied="${texts.copied}" hidden>${texts.copy}</button></div></div>`

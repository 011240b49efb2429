import type { Language } from '../i18n/languages.ts'
import { formatNumber } from '../site/components/format-number.ts'
import { html, type Html, type Part } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import { timeElement } from '../ui/format-time.ts'
import type { View } from '../ui/page/page.ts'
import { isRecentSignIn } from '../ui/recent-sign-in.ts'

const MODERATORS_PARTS = [
  ['queue', '/desk'],
  ['hidden', '/desk/hidden'],
] as const

const ADMINS_PARTS = [
  ['matches', '/desk/matches'],
  ['merges', '/desk/merges'],
  ['entries', '/desk/entries'],
  ['imports', '/desk/imports'],
  ['accounts', '/desk/accounts'],
  ['invitations', '/desk/invitations'],
  ['apps', '/desk/apps'],
  ['webhooks', '/desk/webhooks'],
  ['announcement', '/desk/announcement'],
  ['mails', '/desk/mails'],
  ['health', '/desk/health'],
  ['log', '/desk/log'],
] as const

/** Maximum number of parts shown as a row of links on phones. More form a menu, whose button names the current one. */
const MAX_PARTS_IN_ROW = 3

type DeskPart = (typeof MODERATORS_PARTS | typeof ADMINS_PARTS)[number][0]

export type DeskPage = {
  part: DeskPart
  /** Defaults to the name of the part. */
  title?: string | undefined
  lead?: string | undefined
  notice?: Html | undefined
  body: Html
}

/** Renders the frame of every page of the desk: its navigation and, if necessary, a prompt to sign in again. */
export function deskView(
  { messages, viewer }: PageContext,
  { part, title, lead, notice, body }: DeskPage,
): View {
  const { desk: texts } = messages
  const parts = [...MODERATORS_PARTS, ...(viewer?.role === 'ADMIN' ? ADMINS_PARTS : [])]
  const heading = title ?? texts.parts[part]
  const links = parts.map(
    ([name, href]) =>
      html`<li><a href="${href}"${name === part && html` aria-current="page"`}>${texts.parts[name]}</a></li>`,
  )
  return {
    title: `${heading} · ${texts.title}`,
    head: { robots: 'noindex' },
    styles: ['desk.css'],
    body: html`<div class="desk sidebar"><nav class="side-nav" aria-label="${texts.title}">${
      parts.length > MAX_PARTS_IN_ROW
        ? html`<details class="drop"><summary>${texts.parts[part]}</summary><ul class="panel">${links}</ul></details>`
        : html`<ul>${links}</ul>`
    }</nav>
<div class="desk-body"><h1>${heading}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${
  viewer &&
  !isRecentSignIn(viewer) &&
  html`<div class="notice stale" role="status"><p>${texts.stale} <a href="/desk/sign-in">${texts.signIn}</a></p></div>`
}
${notice}
${body}</div></div>`,
  }
}

/** `isLong` is for unbounded text, which may wrap anywhere. */
export type Column = { text: string; isNumber?: boolean; isLong?: boolean }

/** Renders a table whose rows become cards on narrow screens, or a note if it is empty. */
export function deskTable(
  { messages, language }: PageContext,
  columns: readonly Column[],
  rows: Part[][],
): Html {
  if (rows.length === 0) return html`<p class="quiet">${messages.desk.none}</p>`
  const head = columns.map(
    ({ text, isNumber }) => html`<th scope="col"${isNumber && html` class="number"`}>${text}</th>`,
  )
  const lines = rows.map(
    (cells) =>
      html`<tr>${cells.map(
        (cell, index) =>
          html`<td data-label="${columns[index]?.text}"${columns[index]?.isNumber && html` class="number"`}${columns[index]?.isLong && html` class="long"`}>${formatted(language, cell)}</td>`,
      )}</tr>\n`,
  )
  return html`<div class="table-frame"><table class="cards dense"><thead><tr>${head}</tr></thead><tbody>
${lines}</tbody></table></div>`
}

export type DeskRow = {
  name: Part
  href: string
  /** Shown after the name. */
  marks?: Part[]
  /** Second line. Empty parts are omitted. */
  facts: Part[]
}

const isEmpty = (part: Part) => part === undefined || part === null || part === false || part === ''

/** Renders one row of two lines per subject: its name as a link, and its facts. */
export function deskRows({ messages }: PageContext, rows: DeskRow[]): Html {
  if (rows.length === 0) return html`<p class="quiet">${messages.desk.none}</p>`
  return html`<ul class="desk-rows rows">${rows.map(({ name, href, marks = [], facts }) => {
    const shown = facts.filter((fact) => !isEmpty(fact))
    return html`<li><a class="tap" href="${href}">${name}</a>${marks.map((mark) => !isEmpty(mark) && html` <span class="mark">${mark}</span>`)}
<p class="quiet">${shown.map((fact, index) => html`${index > 0 && ' · '}${fact}`)}</p></li>\n`
  })}</ul>`
}

/** Renders a desk page with a search form and its results. */
export const findView = (
  context: PageContext,
  part: 'accounts' | 'apps',
  {
    query,
    rows,
    notice,
    before,
  }: {
    query: string
    rows: DeskRow[]
    notice?: Html | undefined
    /** Shown above the search form. */
    before?: Part
  },
): View => {
  const { lead, query: label } = context.messages.desk[part]
  const body = html`${before}${findForm(context, `/desk/${part}`, label, query)}${deskRows(context, rows)}`
  return deskView(context, { part, lead, notice, body })
}

/** Renders name-value pairs about one subject. */
export const factList = (
  { language }: PageContext,
  facts: readonly (readonly [name: string, value: Part])[],
): Html =>
  html`<dl class="desk-facts tiles">${facts.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${formatted(language, value)}</dd></div>`,
  )}</dl>`

/** Formats numbers for the language; leaves other parts unchanged. */
const formatted = (language: Language, part: Part): Part =>
  typeof part === 'number' ? formatNumber(language, part) : part

export type ActionFormOptions = {
  action: string
  button: string
  fields?: Record<string, string>
  /** Heading above the form, if any. */
  title?: string
  /** Label of the reason field. If null, the form has none. */
  reason?: string | null
  /** Reason entered in an earlier attempt that was refused. */
  note?: string | undefined
  isDangerous?: boolean
  /** Controls in front of the reason. */
  controls?: Html
}

/** Renders a form for an action, with a reason. */
export function actionForm({ messages, csrfField }: PageContext, options: ActionFormOptions): Html {
  const {
    action,
    button,
    fields = {},
    title,
    reason = messages.desk.why,
    note,
    isDangerous,
    controls,
  } = options
  const id = `why-${[action, ...Object.values(fields)].join('-').replaceAll(/\W+/g, '-')}`
  return html`<form method="post" action="${action}" class="act panel">${csrfField()}${Object.entries(
    fields,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${title !== undefined && html`<h3>${title}</h3>`}${controls}${
    reason !== null &&
    html`<div class="field"><label for="${id}">${reason}</label><textarea id="${id}" name="note" rows="2" maxlength="1000" required>${note !== undefined && html`\n${note}`}</textarea></div>`
  }<div class="actions"><button${isDangerous && html` class="danger"`}>${button}</button></div></form>`
}

/** Renders the form for a table row. A button expands it, even without JavaScript. */
export const expandableActionForm = (context: PageContext, options: ActionFormOptions): Html =>
  html`<details class="act-step"><summary>${options.button}</summary>${actionForm(context, options)}</details>`

/** Renders forms side by side. */
export const actionForms = (context: PageContext, actions: ActionFormOptions[]): Html =>
  html`<div class="acts tiles">${actions.map((options) => actionForm(context, options))}</div>`

/** Renders a time in the viewer's time zone, or nothing. */
export const timeText = (context: PageContext, at: Date | null): Html | undefined =>
  at ? timeElement(context, at) : undefined

/** Renders a search box. */
const findForm = ({ messages }: PageContext, action: string, label: string, value: string): Html =>
  html`<form method="get" action="${action}" class="desk-find cluster"><label>${label}<input name="q" type="search" value="${value}" maxlength="300"></label><button class="secondary">${messages.desk.find}</button></form>`

import { logoUrlOf } from '../apps/app-response.ts'
import type { DailyRequests } from '../apps/usage/endpoint-usage-queries.ts'
import { type App, isEnabled } from '../apps/queries.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { View } from '../ui/page/page.ts'
import { timeElement } from '../ui/format-time.ts'
import { formatNumber } from '../site/components/format-number.ts'
import { consoleFrame } from './console-frame.ts'
import { appPath } from './options.ts'

export type AppListData = {
  apps: App[]
  days: DailyRequests[]
  lastUses: ReadonlyMap<string, Date>
  now: Date
  wasDeleted: boolean
}

/** Renders the apps of a developer, each with its state and last week of use. */
export function appListView(
  context: PageContext,
  { apps, days, lastUses, now, wasDeleted }: AppListData,
): View {
  const { messages } = context
  const { console: texts } = messages
  return {
    title: texts.title,
    body: consoleFrame(
      context,
      html`<div class="console-head cluster"><h1>${texts.title}</h1>${apps.length > 0 && html`<a class="button" href="/console/new">${texts.newApp}</a>`}</div>
<p class="lead">${texts.lead}</p>
${wasDeleted && html`<div class="notice success" role="status"><p>${texts.deleted}</p></div>`}
${
  apps.length === 0
    ? html`<div class="empty"><p>${texts.none}</p><p class="quiet">${texts.noneHint}</p><p><a class="button" href="/console/new">${texts.newApp}</a></p></div>`
    : html`<ul class="app-list panel rows" aria-label="${texts.apps}">${apps.map((app) => appLine(context, app, { days, lastUses, now }))}</ul>`
}`,
    ),
  }
}

export function signedInView(context: PageContext): View {
  const { console: texts } = context.messages
  return {
    title: texts.title,
    body: consoleFrame(
      context,
      html`<h1>${texts.title}</h1>
<p>${texts.signedIn}</p><p><a class="button" href="/console">${texts.apps}</a></p>`,
      { isNarrow: true },
    ),
  }
}

function appLine(
  context: PageContext,
  app: App,
  { days, lastUses, now }: Pick<AppListData, 'days' | 'lastUses' | 'now'>,
): Html {
  const { messages, language } = context
  const { console: texts } = messages
  const own = days.filter(({ client_id }) => client_id === app.client_id)
  const sum = (counter: 'answered' | 'refused') =>
    own.reduce((total, day) => total + Math.max(0, day[counter]), 0)
  const lastUse = lastUses.get(app.client_id)
  return html`<li class="app-line">
${appLogo(app, 48)}
<div class="app-name"><a href="${appPath(app)}">${app.client_name}</a>
<p class="quiet">${stateTag(context, app)} ${app.client_type === 'public' ? texts.public : texts.confidential}</p></div>
<dl class="app-numbers cluster">
<div><dt>${texts.lastUse}</dt><dd>${lastUse ? timeElement(context, lastUse) : texts.never}</dd></div>
<div><dt>${texts.answered}</dt><dd>${formatNumber(language, sum('answered'))}</dd></div>
<div><dt>${texts.refusals}</dt><dd>${formatNumber(language, sum('refused'))}</dd></div>
</dl>
<div class="app-week">${sparkline(
    texts.week,
    lastDays(now, 7).map((date) => {
      const day = own.find((each) => each.date === date)
      return { answered: day?.answered ?? 0, refused: day?.refused ?? 0 }
    }),
  )}</div>
</li>`
}

export function stateTag({ messages: { console: texts } }: PageContext, app: App): Html {
  const text =
    app.blocked_at !== null ? texts.blocked : isEnabled(app) ? texts.enabled : texts.disabled
  return html`<span class="tag state-${isEnabled(app) ? 'on' : 'off'}">${text}</span>`
}

/** Renders the uploaded logo, or the first letter of the name. Pages load pictures from this service only. */
export function appLogo({ logo_hash, client_name }: App, side: number): Html {
  const logoUrl = logo_hash === null ? null : logoUrlOf({ logo: null, logo_hash })
  return logoUrl === null
    ? html`<span class="app-logo initial" aria-hidden="true">${[...client_name][0] ?? '?'}</span>`
    : html`<img class="app-logo" src="${logoUrl}" alt="" width="${side}" height="${side}" decoding="async">`
}

type Day = { answered: number; refused: number }

/** Returns the last `count` dates in UTC, oldest first. */
export const lastDays = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(now.getTime() - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  )

const WIDTH = 12
const HEIGHT = 30

/** Renders one bar per day, with rejected requests on top. The numbers are in the table. */
export function sparkline(label: string, days: Day[]): Html {
  const max = Math.max(1, ...days.map(({ answered, refused }) => answered + refused))
  const share = (count: number) => Math.round((Math.max(0, count) / max) * HEIGHT * 10) / 10
  return html`<svg class="sparkline" viewBox="0 0 ${days.length * WIDTH} ${HEIGHT + 1}" role="img" aria-label="${label}">${days.map(
    ({ answered, refused }, index) => {
      const [good, bad] = [share(answered), share(refused)]
      const x = index * WIDTH + 1
      return html`<rect class="base" x="${x}" y="${HEIGHT}" width="${WIDTH - 2}" height="1"/>${good > 0 && html`<rect x="${x}" y="${HEIGHT - good}" width="${WIDTH - 2}" height="${good}"/>`}${bad > 0 && html`<rect class="bad" x="${x}" y="${HEIGHT - good - bad}" width="${WIDTH - 2}" height="${bad}"/>`}`
    },
  )}</svg>`
}

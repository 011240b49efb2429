import type { QueuedMail } from '../../accounts/mail/outbox/queue-queries.ts'
import type { DatabaseHealth, KeyAge } from '../../operations/database-health-queries.ts'
import { MAX_COUNTED } from '../../operations/metrics/state-queries.ts'
import { formatNumber } from '../../site/components/format-number.ts'
import { countFindings, type CheckResult } from '../../doctor/examine.ts'
import { textOfFinding, titleOfCheck } from '../../doctor/finding-text.ts'
import type { Finding } from '../../doctor/finding.ts'
import type { Examination } from '../../doctor/recent-examination.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { formatTime } from '../../ui/format-time.ts'
import { deskTable, deskView, factList, timeText } from '../desk-view.ts'
import { kindName } from '../kind-name.ts'

/** Renders the unsent emails. */
export function mailsView(
  context: PageContext,
  { mails, notice }: { mails: QueuedMail[]; notice: Html | undefined },
): View {
  const { desk: texts, kindNames } = context.messages
  const { columns } = texts
  return deskView(context, {
    part: 'mails',
    lead: texts.mails.lead,
    notice,
    body: deskTable(
      context,
      [
        { text: columns.kind },
        { text: columns.email, isLong: true },
        { text: columns.state },
        { text: columns.attempts, isNumber: true },
        { text: columns.created },
        { text: columns.next },
      ],
      mails.map((mail) => [
        kindName(kindNames.mails, mail.kind),
        mail.email,
        mailState(texts, mail),
        mail.attempts,
        timeText(context, mail.created_at),
        mail.is_in_hand
          ? ''
          : html`${!mail.failed_at && timeText(context, mail.next_attempt_at)} <form method="post" action="/desk/mails/${mail.id}/retry">${context.csrfField()}<button class="secondary">${texts.mails.retry}</button></form>`,
      ]),
    ),
  })
}

function mailState(
  { mails: texts }: Messages['desk'],
  { failed_at: failedAt, is_in_hand: isInHand }: QueuedMail,
) {
  if (failedAt) return html`<strong>${texts.failed}</strong>`
  return isInHand ? texts.sending : texts.waiting
}

type HealthData = {
  database: DatabaseHealth
  keys: KeyAge[]
  poolSize: number
  workers: number | 'auto'
  /** Whether Redis responds. Undefined if it is not used. */
  redis: boolean | undefined
  cache: { responses: number; bytes: number }
  now: Date
  examination: Examination
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`

/** Renders the findings of the checks, and a table of all checks. */
function examinationView(context: PageContext, { results, at }: Examination): Html {
  const { health: texts } = context.messages.desk
  const { errors, warnings } = countFindings(results)
  const summary = errors + warnings === 0 ? texts.allWell : texts.found({ errors, warnings })
  return html`<h2>${texts.checks}</h2>
<p><strong>${summary}</strong></p>
<p class="quiet">${texts.examined({ time: formatTime(context, at) })}</p>
${
  errors + warnings > 0 &&
  html`<ul class="findings">${results.flatMap(({ id, findings }) =>
    findings.map((finding) => findingView(context, id, finding)),
  )}</ul>`
}
<details class="all-checks"><summary>${texts.all({ count: results.length })}</summary><ul class="check-list">${results.map(
    ({ id, status, milliseconds }) =>
      html`<li><span>${titleOfCheck(context.language, id)}</span> <span class="quiet">${texts.status[status]}${status !== 'skipped' && ` · ${milliseconds} ms`}</span></li>\n`,
  )}</ul></details>`
}

/** Renders a finding without the error text of other programs, which may name addresses inside the network. */
function findingView(context: PageContext, id: CheckResult['id'], finding: Finding): Html {
  const { problem, advice } = textOfFinding(context.language, finding)
  return html`<li class="finding ${finding.level}"><h3><span class="level">${context.messages.desk.health.status[finding.level]}</span> ${titleOfCheck(context.language, id)}</h3>
<p>${problem}</p>
<p>${advice}</p></li>\n`
}

function vacuumFact(
  context: PageContext,
  { at, tables }: NonNullable<DatabaseHealth['vacuum']>,
): [string, string] {
  const { vacuum, vacuumed } = context.messages.desk.health
  return [vacuum, vacuumed({ time: formatTime(context, new Date(at)), tables })]
}

/** Renders the health of the service's components. */
export function healthView(context: PageContext, data: HealthData): View {
  const { database, keys, poolSize, workers, redis, cache, now } = data
  const { desk: texts, kindNames } = context.messages
  const { health: own, columns } = texts
  const days = (at: Date) => Math.floor((now.getTime() - at.getTime()) / 86_400_000)
  return deskView(context, {
    part: 'health',
    body: html`${examinationView(context, data.examination)}
<h2>${own.database}</h2>${factList(context, [
      ['PostgreSQL', database.version],
      [own.responseTime, `${database.answered_in} ms`],
      [own.size, mebibytes(database.bytes)],
      [own.pool, poolSize],
      [own.open, database.connections],
      [own.migration, database.last_migration],
      ...(database.vacuum ? [vacuumFact(context, database.vacuum)] : []),
      [
        own.redis,
        redis === undefined
          ? own.notUsed
          : redis
            ? own.connected
            : html`<strong>${own.unreachable}</strong>`,
      ],
    ])}
<h2>${own.process}</h2>${factList(context, [
      [own.workers, workers],
      [own.memory, mebibytes(process.memoryUsage.rss())],
      [own.uptime, formatUptime(process.uptime(), context.language)],
      [own.cached, `${cache.responses} (${mebibytes(cache.bytes)})`],
    ])}
<h2>${own.queues}</h2>${deskTable(
      context,
      [{ text: columns.what }, { text: columns.amount, isNumber: true }],
      Object.entries(database.pending).map(([name, amount]) => [
        kindName(kindNames.queues, name),
        amount < MAX_COUNTED
          ? amount
          : own.orMore({ count: formatNumber(context.language, MAX_COUNTED) }),
      ]),
    )}
<h2>${own.keys}</h2>${deskTable(
      context,
      [
        { text: columns.id },
        { text: own.algorithm },
        { text: own.signsFrom },
        { text: own.retired },
        { text: own.age, isNumber: true },
      ],
      keys.map((key) => [
        html`<code>${key.kid}</code>`,
        key.alg,
        timeText(context, key.signs_from),
        timeText(context, key.retired_at),
        days(key.created_at),
      ]),
    )}`,
  })
}

/** Formats hours and minutes in the language of the page. */
const formatUptime = (seconds: number, language: string) =>
  new Intl.DurationFormat(language, { style: 'short', minutesDisplay: 'always' }).format({
    hours: Math.floor(seconds / 3_600),
    minutes: Math.floor((seconds / 60) % 60),
  })

import type { PersonalToken } from '../../accounts/personal-tokens/queries.ts'
import type { FeedState } from '../../accounts/private-feeds.ts'
import type { Account } from '../../accounts/queries.ts'
import { ROLES, type Role } from '../../accounts/role-queries.ts'
import type { WaitingAccount } from '../../accounts/sign-up/approval-queries.ts'
import type { AccountCounts, FoundAccount } from '../../accounts/search-queries.ts'
import type { FoundEvent } from '../../audit/search-queries.ts'
import { loadedField } from '../../ui/forms/form-state.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { pager } from '../../site/components/pager.ts'
import {
  actionForms,
  deskView,
  deskTable,
  expandableActionForm,
  factList,
  findView,
  timeText,
  type ActionFormOptions,
} from '../desk-view.ts'
import { eventTable } from '../log/event-table.ts'

/** Renders the search results for accounts. */
export function accountListView(
  context: PageContext,
  {
    accounts,
    query,
    waiting,
    page,
    last,
    notice,
  }: {
    accounts: FoundAccount[]
    query: string
    waiting: WaitingAccount[]
    /** Page of the waiting accounts. */
    page: number
    /** Number of the last such page; 0 if no account waits. */
    last: number
    notice: Html | undefined
  },
): View {
  return findView(context, 'accounts', {
    query,
    notice,
    before:
      last > 0 &&
      waitingForm(
        context,
        waiting,
        pager(context, {
          page,
          last,
          pathOf: (number) =>
            `/desk/accounts?${new URLSearchParams({ ...(query !== '' && { q: query }), page: String(number) }).toString()}`,
        }),
      ),
    rows: accounts.map((account) => ({
      name: account.name,
      href: `/desk/accounts/${account.id}`,
      marks: [account.role, isActive(account) ? undefined : stateOf(context, account)],
      facts: [account.email, timeText(context, account.created_at)],
    })),
  })
}

/** Renders the accounts that wait for a decision. The form submits `account` several times, `note` and `decision`. */
function waitingForm(
  context: PageContext,
  waiting: WaitingAccount[],
  pages: Html | undefined,
): Html {
  const { accounts: texts, columns, why } = context.messages.desk
  return html`<section class="waiting"><h2>${texts.waitingTitle}</h2>
<form method="post" action="/desk/accounts/waiting">${context.csrfField()}
${deskTable(
  context,
  [{ text: columns.name }, { text: columns.email, isLong: true }, { text: columns.since }],
  waiting.map(({ id, name, email, requested_at: at }) => [
    html`<span class="check"><input type="checkbox" name="account" value="${id}" aria-label="${name}"><a href="/desk/accounts/${id}">${name}</a></span>`,
    email,
    timeText(context, at),
  ]),
)}
<div class="field"><label for="why-waiting">${why}</label><p class="hint" id="why-waiting-hint">${texts.whyDecline}</p><textarea id="why-waiting" name="note" rows="2" maxlength="1000" aria-describedby="why-waiting-hint"></textarea></div>
<div class="actions side-by-side"><button name="decision" value="approve">${texts.approveSelected}</button><button class="danger" name="decision" value="decline">${texts.declineSelected}</button></div>
</form>${pages}</section>`
}

type AccountState = Pick<Account, 'banned_at' | 'approval_requested_at' | 'declined_at'>

const isActive = (account: AccountState) =>
  !account.banned_at && !account.declined_at && !account.approval_requested_at

/** Renders the state of an account. */
function stateOf({ messages }: PageContext, account: AccountState): Html | string {
  const { accounts: texts } = messages.desk
  if (account.banned_at) return html`<strong>${texts.banned}</strong>`
  if (account.declined_at) return html`<strong>${texts.declined}</strong>`
  return account.approval_requested_at ? html`<strong>${texts.waiting}</strong>` : texts.active
}

export type AccountData = {
  account: Account
  counts: AccountCounts
  tokens: PersonalToken[]
  feeds: Pick<FeedState, 'created_at'>
  events: FoundEvent[]
  /** Whether the account is the viewer's own. */
  isOwn: boolean
  notice: Html | undefined
  /** Role that was refused because of a conflict, with its reason. */
  typed?: { role: Role | null; note: string } | undefined
}

/** Renders one account with the available actions and its history. */
export function accountView(
  context: PageContext,
  { account, counts, tokens, feeds, events, isOwn, notice, typed }: AccountData,
): View {
  const { desk: texts } = context.messages
  const { columns, accounts: own } = texts
  const factors = (account.has_totp ? 1 : 0) + counts.passkeys
  return deskView(context, {
    part: 'accounts',
    title: `${account.name} (${account.id})`,
    notice,
    body: html`${factList(context, [
      [columns.email, account.email],
      [columns.role, account.role ?? own.noRole],
      [
        columns.state,
        html`${stateOf(context, account)}${
          account.banned_at
            ? html` ${timeText(context, account.banned_at)}: ${account.ban_reason}`
            : account.declined_at &&
              html` ${timeText(context, account.declined_at)}: ${account.decline_reason}`
        }`,
      ],
      [columns.created, timeText(context, account.created_at)],
      [own.sessionCount, counts.sessions],
      [own.factorState, factors],
      [own.apps, counts.apps],
    ])}
${tokens.length > 0 && tokenTable(context, account.id, tokens)}
${feeds.created_at && feedTable(context, account.id, feeds.created_at)}
<h2>${own.acts}</h2>${actionForms(context, actionsOf(context, { account, isOwn, counts, typed }))}
<h2>${own.history}</h2>${eventTable(context, events)}
<p><a href="/desk/log?account=${account.id}">${texts.more}</a></p>`,
  })
}

/** Lists personal access tokens, each with a form that revokes it. The last form revokes all of them. */
function tokenTable(context: PageContext, id: number, tokens: PersonalToken[]): Html {
  const { accountTokens: texts, account, desk } = context.messages
  const revoke = (token: string, button: string) =>
    expandableActionForm(context, {
      action: `/desk/accounts/${id}/tokens`,
      fields: { token },
      button,
      isDangerous: true,
    })
  return html`<h2>${texts.title}</h2>${deskTable(
    context,
    [
      { text: texts.name, isLong: true },
      { text: texts.scopes, isLong: true },
      { text: texts.created },
      { text: texts.lastUsed },
      { text: texts.expires },
      { text: desk.accounts.acts },
    ],
    tokens.map((token) => [
      token.name,
      token.scopes.join(' '),
      timeText(context, token.created_at),
      timeText(context, token.last_used_at) ?? account.never,
      timeText(context, token.expires_at) ?? texts.unlimited,
      revoke(String(token.id), texts.revoke),
    ]),
  )}${tokens.length > 1 && revoke('all', texts.revokeAll)}`
}

/** Lists the private feeds of an account, with a form that turns them off. They share one secret. */
function feedTable(context: PageContext, id: number, createdAt: Date): Html {
  const { accountFeeds: texts, accountTokens, notificationPage } = context.messages
  const created = timeText(context, createdAt)
  return html`<h2>${texts.title}</h2>${deskTable(
    context,
    [{ text: accountTokens.name }, { text: accountTokens.created }],
    [texts.calendar, notificationPage.title].map((name) => [name, created]),
  )}${expandableActionForm(context, {
    action: `/desk/accounts/${id}/feeds`,
    button: texts.turnOff,
    isDangerous: true,
  })}`
}

function actionsOf(
  { messages }: PageContext,
  {
    account,
    isOwn,
    counts: { apps },
    typed,
  }: Pick<AccountData, 'account' | 'isOwn' | 'counts' | 'typed'>,
): ActionFormOptions[] {
  const { id, banned_at: bannedAt, role } = account
  const chosen = typed ? typed.role : role
  const { accounts: texts, columns } = messages.desk
  const action = (name: string, title: string, isDangerous = false): ActionFormOptions => ({
    action: `/desk/accounts/${id}/${name}`,
    title,
    button: title,
    isDangerous,
  })
  const roles = ['', ...ROLES].map(
    (item) =>
      html`<option value="${item}"${item === (chosen ?? '') && html` selected`}>${item === '' ? texts.noRole : item}</option>`,
  )
  const roleAction: ActionFormOptions = {
    ...action('role', texts.role),
    note: typed?.note,
    controls: html`${loadedField({ role })}<div class="field"><label for="role">${columns.role}</label><select id="role" name="role">${roles}</select></div>`,
  }
  const ban: ActionFormOptions = {
    ...action('ban', texts.ban, true),
    ...(apps > 0 && {
      controls: html`<label class="check"><input type="checkbox" name="apps" value="disable"><span>${texts.disableApps({ apps })}</span></label>`,
    }),
  }
  const decide = (decision: 'approve' | 'decline'): ActionFormOptions => ({
    ...action('', texts[decision], decision === 'decline'),
    action: '/desk/accounts/waiting',
    fields: { account: String(id), decision },
    ...(decision === 'approve' && { reason: null }),
  })
  return [
    ...(account.approval_requested_at ? [decide('approve')] : []),
    ...(account.approval_requested_at && !account.declined_at ? [decide('decline')] : []),
    ...(bannedAt ? [action('unban', texts.unban)] : isOwn ? [] : [ban]),
    action('sessions', texts.sessions),
    ...(isOwn ? [] : [action('factors', texts.factors, true)]),
    roleAction,
  ]
}

import { ATTEMPTS_EXPIRE_AFTER } from '../accounts/sign-in/login-throttle.ts'
import { ACCESS_TOKEN_EXPIRY } from '../accounts/access-token-expiry.ts'
import type { RetentionSetting } from '../config/retention-settings.ts'
import type { Database } from '../db/database.ts'
import { MIN_TOUCH_INTERVAL } from '../ratings/own/lists/walk-queries.ts'
import { IS_UNUSED_UPLOAD, listReportedPictures } from '../uploads/upload-queries.ts'

/** Rule for the rows of a table that are deleted by age, or of which a part is. */
export type RetentionRule = {
  table: string
  /** Description of the rows, for `docs/operations.md`. */
  about: string
  /** How long rows are kept, for rules without a setting. */
  kept?: string
  setting?: RetentionSetting
  /** Rows that are never deleted by age. */
  exception?: string
  /**
   * SQL condition for the rows to delete. `$1` is the window of the setting in days. `undefined` for accounts, which
   * are deleted one by one with all their data.
   */
  due: string | undefined
  /**
   * Primary key, for user data. Citus, which distributes it, can neither lock rows of several accounts nor find
   * rows by `ctid`.
   */
  key?: string
  /** Reads the value of `$1` from user data. Only for rules without a setting. */
  findKept?: (trx: Database) => Promise<string[]>
  /** SQL assignment, for rules that erase a part of the rows instead of deleting them. */
  erases?: string
}

const UNTIL_EXPIRED = { kept: 'until they expire', due: 'expires_at < now()' }
const olderThan = (column: string) => `${column} < now() - make_interval(days => $1::integer)`

/** All rules for deletion by age, which follows the clock of the database (decision 0041). */
export const RETENTION_RULES = [
  { table: 'links', about: 'links in emails', ...UNTIL_EXPIRED },
  { table: 'passkey_challenges', about: 'challenges for passkeys', ...UNTIL_EXPIRED },
  { table: 'upstream_flows', about: 'sign-ins at other providers', ...UNTIL_EXPIRED },
  {
    table: 'attempts',
    about: 'counts of failed sign-ins',
    kept: `${ATTEMPTS_EXPIRE_AFTER} after the last`,
    due: `last_try_at < now() - interval '${ATTEMPTS_EXPIRE_AFTER}'`,
  },
  { table: 'trusted_browsers', about: 'trusted browsers', ...UNTIL_EXPIRED },
  {
    table: 'personal_tokens',
    about: 'expired personal access tokens',
    kept: '30 days after they expire',
    due: `expires_at < now() - interval '30 days'`,
  },
  {
    table: 'uploads',
    about: 'pictures that nothing uses',
    kept: 'an hour',
    due: IS_UNUSED_UPLOAD,
    findKept: (trx) => listReportedPictures(trx),
  },
  { table: 'withdrawals', about: 'revoked access tokens', ...UNTIL_EXPIRED },
  { table: 'form_drafts', about: 'forms that wait for a sign-in', ...UNTIL_EXPIRED },
  { table: 'sessions', about: 'sessions', ...UNTIL_EXPIRED },
  { table: 'oidc_records', about: 'codes, refresh tokens and interactions', ...UNTIL_EXPIRED },
  {
    table: 'grants',
    about: 'grants',
    kept: `${ACCESS_TOKEN_EXPIRY} after they expire`,
    // Tokens outlive their grant by an hour. Deleting the grant earlier would record it as withdrawn.
    due: `expires_at < now() - interval '${ACCESS_TOKEN_EXPIRY}'`,
  },
  {
    table: 'mails',
    about: 'emails that could not be sent',
    kept: '3 days',
    // Emails are abandoned after two hours. Older ones remain only if no process sends email.
    due: `created_at < now() - interval '3 days'`,
  },
  {
    table: 'list_imports',
    key: 'account_id',
    about: 'uploaded lists, and what an import can undo',
    ...UNTIL_EXPIRED,
  },
  {
    table: 'known_devices',
    about: 'browsers known to an account',
    kept: '400 days after the last sign-in',
    due: `last_used_at < now() - interval '400 days'`,
  },
  {
    table: 'deleted_collections',
    key: 'account_id, id',
    about: 'deleted collections, which can be restored for ten minutes',
    kept: 'an hour',
    due: `deleted_at < now() - interval '1 hour'`,
  },
  {
    table: 'rating_walks',
    key: 'account_id, id',
    about: 'positions in lists of ratings',
    kept: 'an hour',
    due: `started_at < now() - interval '1 hour ${MIN_TOUCH_INTERVAL}'`,
  },
  {
    table: 'rating_changes',
    key: 'account_id, id',
    about: 'texts of private notes in the history',
    kept: 'two hours',
    due: `changed_at < now() - interval '2 hours' and fields #>> '{private_note,to}' is not null`,
    erases: `fields = fields || '{"private_note": {"from": null, "to": null}}'`,
  },
  {
    table: 'removed_items',
    key: 'account_id, collection_id, work_id',
    about: 'works removed from a collection, which can be restored for ten minutes',
    kept: 'an hour',
    due: `removed_at < now() - interval '1 hour'`,
  },
  {
    table: 'app_usage',
    about: 'use of apps by day',
    kept: '91 days',
    due: `day < current_date - 91`,
  },
  {
    table: 'app_endpoint_usage',
    about: 'use of apps by day and endpoint',
    kept: '91 days',
    due: `day < current_date - 91`,
  },
  {
    table: 'refused_requests',
    about: 'refused requests of apps',
    kept: '7 days',
    due: `at < now() - interval '7 days'`,
  },
  {
    table: 'apps',
    about: 'apps that a document describes, and that no user allows',
    kept: '30 days',
    due: `document_host is not null and enabled and blocked_at is null and created_at < now() - interval '720 hours'
      and not exists (select from consents where consents.client_id = apps.client_id)`,
  },
  {
    table: 'webhook_deliveries',
    about: 'deliveries to apps, whether made or not',
    kept: '7 days',
    due: `created_at < now() - interval '168 hours'`,
  },
  {
    table: 'audit_events',
    about: 'failed sign-ins to unknown accounts',
    kept: '30 days',
    due: `account_id is null and kind = 'sign_in_failed' and at < now() - interval '30 days'`,
  },
  {
    table: 'accounts',
    about: 'accounts whose owners deleted them, and declined sign-ups',
    kept: '7 days',
    due: undefined,
  },
  {
    table: 'accounts',
    about: 'sign-ups that wait for approval',
    setting: 'SIGN_UP_RETENTION',
    due: undefined,
  },
  {
    table: 'rating_changes',
    key: 'account_id, id',
    about: 'history of ratings',
    setting: 'RATING_HISTORY_RETENTION',
    exception: 'the last change of each rating',
    due: `${olderThan('changed_at')} and exists (
      select from rating_changes later
      where later.account_id = rating_changes.account_id
        and later.work_id = rating_changes.work_id
        and later.id > rating_changes.id
    )`,
  },
  {
    table: 'catalog_changes',
    about: 'changes in the feed',
    setting: 'FEED_RETENTION',
    exception: 'the last change of each entry',
    due: `${olderThan('created_at')} and exists (
      select from catalog_changes later
      where later.resource_type = catalog_changes.resource_type
        and later.resource_id = catalog_changes.resource_id
        and later.id > catalog_changes.id
        and later.audience in ('everybody', catalog_changes.audience)
    )`,
  },
  {
    table: 'audit_events',
    about: 'the audit log',
    setting: 'AUDIT_RETENTION',
    due: olderThan('at'),
  },
  {
    table: 'import_runs',
    about: 'runs of imports',
    setting: 'IMPORT_RUN_RETENTION',
    exception: 'the last successful run of each source, and those after it',
    due: `${olderThan('ended_at')} and exists (
      select from import_runs later
      where later.source = import_runs.source and later.outcome = 'done' and later.id > import_runs.id
    )`,
  },
  {
    table: 'reports',
    key: 'account_id, id',
    about: 'decided reports',
    setting: 'REPORT_RETENTION',
    exception: 'open reports',
    due: olderThan('decided_at'),
  },
] as const satisfies RetentionRule[]

type Rule = (typeof RETENTION_RULES)[number]
export type FixedRule = Extract<Exclude<Rule, { setting: string }>, { due: string }>
export type WindowRule = Extract<Rule, { setting: string; due: string }>

const hasSetting = (rule: Rule) => 'setting' in rule
const isDueByRow = (rule: Rule) => rule.due !== undefined

/** Rules without a setting. */
export const FIXED_RULES = RETENTION_RULES.filter(
  (rule): rule is FixedRule => isDueByRow(rule) && !hasSetting(rule),
)
/** Rules with a retention window that the operator sets. */
export const WINDOW_RULES = RETENTION_RULES.filter(
  (rule): rule is WindowRule => isDueByRow(rule) && hasSetting(rule),
)

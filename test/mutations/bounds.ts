/** A change to one file that a test must detect. */
export type Mutation = { file: string; from: string; to: string; test: string }

type Change = [file: string, from: string, to: string]

/** Limits and lifetimes, mostly in SQL, keyed by the test that must fail without them. */
const CHANGES_BY_TEST: Record<string, Change[]> = {
  'src/operations/overload/limiter.test.ts': [
    ['src/operations/overload/limiter.ts', 'MAX_WAIT_MS = 500', 'MAX_WAIT_MS = 5_000'],
    ['src/operations/overload/limiter.ts', 'MAX_QUEUED = 8_192', 'MAX_QUEUED = 4_096'],
  ],
  'src/operations/workers/stalls.test.ts': [
    ['src/operations/workers/stalls.ts', 'MAX_MISSED = 4', 'MAX_MISSED = 5'],
    ['src/operations/workers/stalls.ts', 'MAX_MISSED_ALIVE = 20', 'MAX_MISSED_ALIVE = 19'],
  ],
  'src/identity/browser/approval.test.ts': [
    [
      'src/accounts/sign-up/approval-queries.ts',
      "NOTICE_INTERVAL = '1 hour'",
      "NOTICE_INTERVAL = '1 minute'",
    ],
  ],
  'src/identity/browser/invitations.test.ts': [
    [
      'src/accounts/sign-up/invitation-queries.ts',
      "'used < uses and revoked_at",
      "'used <= uses and revoked_at",
    ],
    ['src/accounts/sign-up/invitation-queries.ts', 'uses: 10_000', 'uses: 0'],
  ],
  'src/retention/retention.test.ts': [
    [
      'src/retention/rules.ts',
      "created_at < now() - interval '3 days'",
      "created_at < now() - interval '3 hours'",
    ],
    ['src/retention/rules.ts', "interval '400 days'", "interval '1 day'"],
    [
      'src/retention/rules.ts',
      "deleted_at < now() - interval '1 hour'",
      "deleted_at < now() - interval '5 minutes'",
    ],
    [
      'src/retention/rules.ts',
      "removed_at < now() - interval '1 hour'",
      "removed_at < now() - interval '5 minutes'",
    ],
    [
      'src/retention/rules.ts',
      "started_at < now() - interval '1 hour ${MIN_TOUCH_INTERVAL}'",
      "started_at < now() - interval '2 hours'",
    ],
    [
      'src/retention/rules.ts',
      "{ table: 'trusted_browsers', about: 'trusted browsers', ...UNTIL_EXPIRED }",
      "{ table: 'trusted_browsers', about: 'trusted browsers', kept: '', due: 'true' }",
    ],
    [
      'src/retention/rules.ts',
      "and at < now() - interval '30 days'",
      "and at < now() - interval '1 hour'",
    ],
    [
      'src/retention/rules.ts',
      "expires_at < now() - interval '30 days'",
      "expires_at < now() - interval '1 hour'",
    ],
    [
      'src/retention/rules.ts',
      "last_try_at < now() - interval '${ATTEMPTS_EXPIRE_AFTER}'",
      "last_try_at < now() - interval '1 hour'",
    ],
    [
      'src/retention/rules.ts',
      "kept: '91 days',\n    due: `day < current_date - 91`,\n  },\n  {\n    table: 'app_endpoint_usage'",
      "kept: '91 days',\n    due: `day < current_date - 90`,\n  },\n  {\n    table: 'app_endpoint_usage'",
    ],
    ['src/retention/rules.ts', "later.audience in ('everybody', catalog_changes.audience)", 'true'],
    ['src/db/upkeep/deletion-hold.ts', 'held_until > now() or ', ''],
    [
      'src/db/upkeep/deletion-hold.ts',
      'or now() > last_run_at',
      'or false and now() > last_run_at',
    ],
    ['src/retention/rules.ts', "at < now() - interval '7 days'", "at < now() - interval '1 day'"],
    ['src/retention/delete-by-age.ts', 'if (rows.length < BATCH) break', 'break'],
    ['src/retention/housekeeping.ts', '    await purgeAccounts(db)\n', ''],
    [
      'src/uploads/upload-queries.ts',
      "interval '1 hour' and not (${isUsed('$1')})",
      "interval '2 hours' and not (${isUsed('$1')})",
    ],
  ],
  'src/accounts/lifetimes-and-limits.test.ts': [
    [
      'src/accounts/deletion-queries.ts',
      'now() - make_interval(days => ${DELETION_GRACE_DAYS})',
      'now() - make_interval(days => 1)',
    ],
    ['src/accounts/form-draft-queries.ts', 'DRAFT_MINUTES = 60', 'DRAFT_MINUTES = 600'],
    ['src/accounts/form-draft-queries.ts', 'MAX_DRAFTS = 1_000', 'MAX_DRAFTS = 1_001'],
    [
      'src/accounts/form-draft-queries.ts',
      'from form_drafts where expires_at > now()) <',
      'from form_drafts) <',
    ],
    [
      'src/accounts/form-draft-queries.ts',
      'where sender = $2 and expires_at > now()',
      'where sender = $2',
    ],
    [
      'src/accounts/form-draft-queries.ts',
      'MAX_DRAFTS_OF_SENDER = 20',
      'MAX_DRAFTS_OF_SENDER = 21',
    ],
    [
      'src/accounts/sign-in/trusted-browsers.ts',
      '  await queryRows(db, DELETE_OLDEST, [accountId, MAX_BROWSERS])\n',
      '',
    ],
    [
      'src/accounts/sign-in/trusted-browsers.ts',
      'order by created_at desc, id desc offset',
      'order by created_at, id offset',
    ],
    ['src/accounts/sign-in/trusted-browsers.ts', 'TRUST_DAYS = 30', 'TRUST_DAYS = 300'],
    [
      'src/accounts/sign-in/trusted-browsers.ts',
      'any($2::text[]) and expires_at > now()',
      'any($2::text[])',
    ],
    [
      'src/accounts/credentials/passkey-challenges.ts',
      "interval '5 minutes'",
      "interval '50 minutes'",
    ],
    ['src/accounts/mail/registration-notice.ts', 'MAX_WITHIN_HOUR = 20', 'MAX_WITHIN_HOUR = 40'],
    [
      'src/accounts/search-queries.ts',
      'account_id = $1 and expires_at > now()) as sessions',
      'account_id = $1) as sessions',
    ],
    ['src/accounts/search-queries.ts', 'MAX_FOUND = 50', 'MAX_FOUND = 51'],
  ],
  'src/accounts/mail/outbox/outbox.test.ts': [
    ['src/accounts/mail/outbox/outbox-sender.ts', ' and failed_at is null', ''],
    ['src/accounts/mail/outbox/outbox-sender.ts', 'MAX_AT_ONCE = 4', 'MAX_AT_ONCE = 40'],
    ['src/accounts/mail/outbox/outbox-sender.ts', 'MAX_ATTEMPTS = 10', 'MAX_ATTEMPTS = 11'],
  ],
  'src/uploads/upload-queries.test.ts': [
    [
      'src/uploads/upload-queries.ts',
      "interval '10 minutes' and not (${isUsed('$2')})",
      "interval '10 minutes'",
    ],
    [
      'src/uploads/upload-queries.ts',
      "interval '1 hour' and not (${isUsed('$1')})",
      "interval '1 hour'",
    ],
    ['src/uploads/upload-queries.ts', "hash = $2 and not (${isUsed('$3')})", 'hash = $2'],
    ['src/uploads/upload-queries.ts', "created_at < now() - interval '10 minutes' and", ''],
    ['src/uploads/upload-queries.ts', " and state = 'OPEN'", ''],
    [
      'src/uploads/upload-queries.ts',
      'MAX_UPLOADS_PER_ACCOUNT = 40',
      'MAX_UPLOADS_PER_ACCOUNT = 39',
    ],
  ],
  'src/identity/browser/cookie-lifetimes.test.ts': [
    [
      'src/identity/browser/sign-in/pending-sign-in.ts',
      'LIFETIME_SECONDS = 600',
      'LIFETIME_SECONDS = 6_000',
    ],
    ['src/identity/browser/requesting-browser.ts', 'LIFETIME = 86_400', 'LIFETIME = 3_600'],
    [
      'src/identity/browser/sign-in/trust-cookie.ts',
      'valid && !value.startsWith(`${this.#cookie.name}.`)',
      'valid',
    ],
    ['src/ui/forms/signed-cookie.ts', ' && Number(expiresAt) > timeOf(request)', ''],
    [
      'src/ui/forms/signed-cookie.ts',
      'this.#lifetimeSeconds * 1_000',
      'this.#lifetimeSeconds * 2_000',
    ],
  ],
  'src/audit/undo-queries.test.ts': [
    ['src/audit/events.ts', "UNDO_WINDOW = '1 hour'", "UNDO_WINDOW = '50 minutes'"],
  ],
  'src/identity/lifetimes.test.ts': [
    [
      'src/identity/lifetimes.ts',
      'INTERACTION_LIFETIME_SECONDS = 3_600',
      'INTERACTION_LIFETIME_SECONDS = 36_000',
    ],
    [
      'src/identity/lifetimes.ts',
      'SESSION_LIFETIME_SECONDS = 14 * DAY',
      'SESSION_LIFETIME_SECONDS = 140 * DAY',
    ],
    [
      'src/identity/lifetimes.ts',
      'REFRESH_TOKEN_LIFETIME_SECONDS = 30 * DAY',
      'REFRESH_TOKEN_LIFETIME_SECONDS = 300 * DAY',
    ],
    [
      'src/identity/lifetimes.ts',
      'CONSENT_LIFETIME_SECONDS = 180 * DAY',
      'CONSENT_LIFETIME_SECONDS = 1_800 * DAY',
    ],
  ],
  'src/identity/provider/storage/expiry.test.ts': [
    ['src/identity/tokens/keys.ts', 'VERIFY_MINUTES = 75', 'VERIFY_MINUTES = 7'],
    ['src/identity/tokens/keys.ts', 'PUBLISH_MINUTES = 10', 'PUBLISH_MINUTES = 1'],
    [
      'src/identity/provider/storage/flow-queries.ts',
      "last_used_at < now() - interval '1 minute'",
      'false',
    ],
    [
      'src/identity/provider/storage/session-queries.ts',
      ".where('account_id', '=', accountId)\n    .where('expires_at', '>', sql<Date>`now()`)",
      ".where('account_id', '=', accountId)",
    ],
    [
      'src/identity/provider/storage/session-queries.ts',
      ".where('uid', '=', uid)\n    .where('expires_at', '>', sql<Date>`now()`)",
      ".where('uid', '=', uid)",
    ],
    [
      'src/identity/provider/storage/session-queries.ts',
      'secondsFromNow(60)',
      'secondsFromNow(3_600)',
    ],
    [
      'src/identity/provider/storage/flow-queries.ts',
      'session.id_hash = $1 and session.expires_at > now()',
      'session.id_hash = $1',
    ],
    [
      'src/identity/provider/storage/flow-queries.ts',
      'record.id_hash = $2 and record.expires_at > now()',
      'record.id_hash = $2',
    ],
    [
      'src/identity/provider/storage/revocation-queries.ts',
      'now() - ${ACCESS_TOKEN_EXPIRY}::interval',
      "now() - interval '60 minutes'",
    ],
    [
      'src/identity/provider/storage/record-queries.ts',
      "then now() + interval '1 day'",
      "then now() + interval '1 hour'",
    ],
  ],
  'src/identity/provider/logout-deliveries.test.ts': [
    [
      'src/identity/provider/backchannel-logout.ts',
      "if (this.#requests >= MAX_REQUESTS) throw new Error('Too many concurrent requests')\n",
      '',
    ],
    ['src/identity/provider/backchannel-logout.ts', 'this.#pending.size >= MAX_PENDING', 'false'],
    ['src/identity/provider/backchannel-logout.ts', '      this.#requests -= 1\n', ''],
    ['src/identity/provider/backchannel-logout.ts', '[5_000, 50_000]', '[5_000, 5_000]'],
  ],
  'src/identity/provider/requests/poll-interval.test.ts': [
    [
      'src/identity/provider/requests/poll-interval.ts',
      'if (polls.size > MAX_DEVICE_CODES && oldest !== undefined) polls.delete(oldest)\n',
      '',
    ],
    ['src/identity/provider/requests/poll-interval.ts', '    polls.delete(code)\n', ''],
    [
      'src/identity/provider/requests/poll-interval.ts',
      '< MIN_POLL_INTERVAL_MS',
      '<= MIN_POLL_INTERVAL_MS',
    ],
  ],
  'src/apps/usage/refused-request-buffer.test.ts': [
    ['src/apps/usage/refused-request-buffer.ts', 'if (this.#size >= MAX_OF_ALL) return\n', ''],
    [
      'src/apps/usage/refused-request-buffer.ts',
      'if (requests && requests.length >= MAX_OF_APP) return\n',
      '',
    ],
    ['src/apps/usage/refused-request-buffer.ts', '    this.#size = 0\n', ''],
  ],
  'src/desk/guard.test.ts': [
    [
      'src/ui/recent-sign-in.ts',
      'RECENT_SIGN_IN_SECONDS = 30 * 60',
      'RECENT_SIGN_IN_SECONDS = 31 * 60',
    ],
  ],
  'src/db/server/prepared-statements.test.ts': [
    [
      'src/db/server/prepared-statements.ts',
      'if (assembled >= MAX_ASSEMBLED_STATEMENTS) return undefined',
      '',
    ],
  ],
  'src/collections/order.test.ts': [
    ['src/collections/deletion-queries.ts', "interval '10 minutes'", "interval '8 minutes'"],
  ],
  'src/ratings/lists/imports/stored-import-queries.test.ts': [
    [
      'src/ratings/lists/imports/stored-import-queries.ts',
      'LIFETIME_SECONDS = 3_600',
      'LIFETIME_SECONDS = 360',
    ],
    [
      'src/ratings/lists/imports/stored-import-queries.ts',
      ' and expires_at > now() for update',
      ' for update',
    ],
  ],
  'src/similar/refresh.test.ts': [
    ['src/similar/follow-queries.ts', "interval '7 days'", "interval '70 days'"],
    ['src/similar/follow-queries.ts', '  where computed_at < now() - ${MAX_AGE}\n', ''],
    ['src/similar/follow-queries.ts', 'MAX_REFRESHED = 100', 'MAX_REFRESHED = 1_000'],
    ['src/similar/compute-queries.ts', "since = now() + interval '1 hour'", 'since = now()'],
  ],
  'src/site/page-cache.test.ts': [
    ['src/site/page-cache.ts', '    ttl: LIFETIME_MS,\n', ''],
    ['src/site/page-cache.ts', 'LARGE = 12 * 2 ** 20', 'LARGE = 64 * 2 ** 20'],
    ['src/site/page-cache.ts', 'if (generation === this.#generation) {', 'if (generation) {'],
    [
      'src/site/page-cache.ts',
      '    for (const key of this.#keysOf.get(path) ?? []) this.#delete(key)\n',
      '',
    ],
  ],
  'src/uploads/encode-upload.test.ts': [
    ['src/uploads/encode-upload.ts', 'MAX_FRAMES = 200', 'MAX_FRAMES = 201'],
    ['src/uploads/encode-upload.ts', 'MAX_WAITING = 8', 'MAX_WAITING = 80'],
    [
      'src/uploads/encode-upload.ts',
      'source.length > MAX_UPLOAD_BYTES',
      'source.length >= MAX_UPLOAD_BYTES',
    ],
  ],
  'src/site/pictures/picture-service.test.ts': [
    [
      'src/site/pictures/picture-service.ts',
      'error.isTransient ? TRANSIENT_FAILURE_MS : PERMANENT_FAILURE_MS',
      'TRANSIENT_FAILURE_MS',
    ],
    [
      'src/site/pictures/picture-service.ts',
      'TRANSIENT_FAILURE_MS = 60_000',
      'TRANSIENT_FAILURE_MS = 600_000',
    ],
    ['src/site/pictures/picture-service.ts', '    this.#failuresOfHosts.delete(hostOf(url))\n', ''],
    ['src/site/pictures/picture-service.ts', 'MAX_HOST_FAILURES = 8', 'MAX_HOST_FAILURES = 9'],
    [
      'src/site/pictures/picture-store.ts',
      'this.#options.maxBytes * EVICTION_TARGET',
      'this.#options.maxBytes',
    ],
    ['src/site/pictures/picture-store.ts', 'Date.now() - file.usedAt > ABANDONED_AFTER_MS', 'true'],
    [
      'src/site/pictures/picture-store.ts',
      'now.getTime() - mtimeMs > this.#options.touchAfterMs',
      'false',
    ],
    ['src/site/pictures/picture-store.ts', 'isKnown && this.#bytes', 'this.#bytes'],
    ['src/site/pictures/picture-store.ts', 'MIN_FREE_BYTES = 256 * 2 ** 20', 'MIN_FREE_BYTES = 0'],
  ],
}

export const MUTATIONS: Mutation[] = Object.entries(CHANGES_BY_TEST).flatMap(([test, changes]) =>
  changes.map(([file, from, to]) => ({ file, from, to, test })),
)

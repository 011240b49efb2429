import { retention } from './setting-readers.ts'

/** Settings for how long data is kept. */
export const RETENTION_SETTINGS = {
  RATING_HISTORY_RETENTION: {
    read: retention(30),
    default: 'forever',
    about:
      'How long the history of ratings is kept, such as `730d`. The last change of each rating always stays. Users’ statistics by year count only what is kept.',
  },
  FEED_RETENTION: {
    read: retention(7),
    default: '365d',
    about:
      'How long superseded changes stay in the change feed. The last change of each entry always stays. A client that has not read the feed for that long may have to start over.',
  },
  AUDIT_RETENTION: {
    read: retention(30),
    default: 'forever',
    about:
      'How long the audit log is kept, such as `730d`. It includes the activity that users see on their account page.',
  },
  IMPORT_RUN_RETENTION: {
    read: retention(30),
    default: 'forever',
    about:
      'How long finished imports are listed, such as `365d`. The last successful one of each source always stays.',
  },
  REPORT_RETENTION: {
    read: retention(30),
    default: 'forever',
    about: 'How long decided reports are kept, such as `365d`.',
  },
  SIGN_UP_RETENTION: {
    read: retention(7),
    default: 'forever',
    about:
      'How long a sign-up may wait for approval, such as `90d`, before it is deleted with everything that the user entered.',
  },
}

export type RetentionSetting = keyof typeof RETENTION_SETTINGS

/** Retention windows in days, keyed by setting; `undefined` keeps rows forever. */
export type RetentionWindows = Readonly<Record<RetentionSetting, number | undefined>>

export function retentionWindows(
  values: Record<RetentionSetting, number | 'forever'>,
): RetentionWindows {
  // as: the settings above
  const names = Object.keys(RETENTION_SETTINGS) as RetentionSetting[]
  const windows = names.map((name) => [name, values[name] === 'forever' ? undefined : values[name]])
  // as: an entry for each name
  return Object.freeze(Object.fromEntries(windows) as RetentionWindows)
}

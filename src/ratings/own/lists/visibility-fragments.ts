import { recordOf } from '../../../kernel/typed-records.ts'

/**
 * Viewer of a user's ratings: the owner, other viewers with access to adult works (`adults`), or other viewers without
 * it (`everyone`).
 */
export type Viewer = 'owner' | 'adults' | 'everyone'

export const viewerOf = (seesNsfw: boolean): Exclude<Viewer, 'owner'> =>
  seesNsfw ? 'adults' : 'everyone'

const visibleToOthers = (condition: string) => `
    and not rating.status_private
    and not rating.hidden
    and exists (select from shown_works shown where shown.id = rating.work_id${condition})`

/** SQL condition on `ratings rating`, to be appended to the condition that selects the user. */
export const VISIBLE_TO: Record<Viewer, string> = {
  owner: '',
  adults: visibleToOthers(''),
  everyone: visibleToOthers(' and not shown.nsfw'),
}

export const byViewer = <Value>(make: (viewer: Viewer) => Value) =>
  recordOf(['owner', 'adults', 'everyone'], make)

/** Who looks at a reader's records: they themselves, or others, who see works for adults or do not. */
export type Viewer = 'own' | 'adults' | 'everybody'

/** Others, by whether works for adults are shown to them. */
export const viewerOf = (seesNsfw: boolean): Viewer => (seesNsfw ? 'adults' : 'everybody')

const shownToOthers = (condition: string) => `
    and not rating.status_private
    and not rating.hidden
    and exists (select from shown_works shown where shown.id = rating.work_id${condition})`

/** What of `ratings rating` they see, after the condition that names the reader. */
export const VISIBLE_TO: Record<Viewer, string> = {
  own: '',
  adults: shownToOthers(''),
  everybody: shownToOthers(' and not shown.nsfw'),
}

/** A value for each of them. */
export const byViewer = <Value>(make: (looker: Viewer) => Value): Record<Viewer, Value> => ({
  own: make('own'),
  adults: make('adults'),
  everybody: make('everybody'),
})

/** Who looks at a reader's records: they themselves, or others, who see works for adults or do not. */
export type Looker = 'own' | 'adults' | 'everybody'

/** Others, by whether works for adults are shown to them. */
export const lookerOf = (seesNsfw: boolean): Looker => (seesNsfw ? 'adults' : 'everybody')

const shownToOthers = (condition: string) => `
    and not rating.status_private
    and not rating.hidden
    and exists (select from shown_works shown where shown.id = rating.work_id${condition})`

/** What of `ratings rating` they see, after the condition that names the reader. */
export const SHOWN_TO: Record<Looker, string> = {
  own: '',
  adults: shownToOthers(''),
  everybody: shownToOthers(' and not shown.nsfw'),
}

/** A value for each of them. */
export const byLooker = <Value>(make: (looker: Looker) => Value): Record<Looker, Value> => ({
  own: make('own'),
  adults: make('adults'),
  everybody: make('everybody'),
})

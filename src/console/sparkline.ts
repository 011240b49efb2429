import { html, type Html } from '../ui/html.ts'

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

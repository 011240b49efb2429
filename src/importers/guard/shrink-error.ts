import type { Shrink } from './shrink.ts'

/** An import that would take away more than may go unasked; nothing was changed. */
export class ShrinkError extends Error {
  override name = 'ShrinkError'
  readonly shrinks: Shrink[]

  constructor(shrinks: Shrink[]) {
    const losses = shrinks.map(({ what, lost, before }) => `${lost} of ${before} of ${what}`)
    super(
      `Nothing was imported, as it would take away ${losses.join(', ')}. Look whether the dump is whole: ` +
        `of one that is a part, add --part; if it is meant to be so, --allow-shrink ${shrinks.map(({ what }) => what).join(',')}`,
    )
    this.shrinks = shrinks
  }
}

/** What a shared counter grants of a window. */
export type Grant = {
  /** Fewer than were needed: the window is full. */
  granted: number
  /** What is left of the window after this. */
  free: number
  /** To the end of the window. */
  leftMs: number
  /** Tells it from those before and after. */
  window: string
}

/** Counts for several processes. */
export type SharedCounter = {
  /** @param spare slots that are granted only while there is plenty */
  take(key: string, slots: { needed: number; spare: number; limit: number }): Promise<Grant>
  /** Does nothing when that window is over. */
  giveBack(key: string, slots: number, window: string): Promise<void>
}

import type { Messages } from '../../../ui/messages.ts'

/** Formats a time in hours and minutes. */
export function durationOf(texts: Messages['library'], total: number): string {
  const [hours, minutes] = [String(Math.floor(total / 60)), String(total % 60)]
  if (total < 60) return texts.minutesOf({ minutes })
  return total % 60 === 0 ? texts.hoursOf({ hours }) : texts.hoursAndMinutes({ hours, minutes })
}

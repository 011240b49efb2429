import type { CalendarRelease } from '../../browse/calendar/queries.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { shownNames, type ShownTitle } from '../components/titles.ts'

/** Returns the title of a release's work in the viewer's preferred language, and the number or name of the volume. */
export function releaseName(
  context: Pick<PageContext, 'language' | 'titlePreference' | 'messages'>,
  { titles, volume_id: volumeId, number, name }: CalendarRelease,
): { title: ShownTitle; volume: string | undefined } {
  const { volumeNumber, volume } = context.messages.entry
  const [title] = shownNames(context, titles)
  if (volumeId === null) return { title, volume: undefined }
  if (number === null) return { title, volume: name ?? volume }
  // A label that does not begin with a digit is shown as it is.
  return { title, volume: /^\d/.test(number) ? volumeNumber({ number }) : number }
}

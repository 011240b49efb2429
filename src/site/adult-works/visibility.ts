import type { PageContext } from '../../ui/page/page-context.ts'

type Viewing = Pick<PageContext, 'viewer' | 'site'>

/** Whether the viewer has turned on adult works. */
const allowsAdultWorks = ({ viewer }: Viewing): boolean => viewer?.nsfw ?? false

/** Whether lists and search results contain adult works. Viewers without access see a title and a blurred cover. */
export const listsAdultWorks = (context: Viewing): boolean =>
  allowsAdultWorks(context) || context.site?.adultWorks === 'blurred'

/** Whether the cover of a work is blurred for the viewer, regardless of its grade. */
export const isVeiled = (context: Viewing, { nsfw }: { nsfw: boolean }): boolean =>
  nsfw && !allowsAdultWorks(context)

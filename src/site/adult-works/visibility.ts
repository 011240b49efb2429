import type { PageContext } from '../../ui/page/page-context.ts'

type ViewerAndSite = Pick<PageContext, 'viewer' | 'site'>

/** Whether the viewer has turned on adult works. */
const allowsAdultWorks = ({ viewer }: ViewerAndSite): boolean => viewer?.nsfw ?? false

/** Whether lists and search results contain adult works. Viewers without access see a title and a blurred cover. */
export const listsAdultWorks = (context: ViewerAndSite): boolean =>
  allowsAdultWorks(context) || context.site?.adultWorks === 'blurred'

/** Whether the cover of a work is blurred for the viewer, regardless of its grade. */
export const isBlurred = (context: ViewerAndSite, { nsfw }: { nsfw: boolean }): boolean =>
  nsfw && !allowsAdultWorks(context)

import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { wholePicturePath } from '../../pictures/picture-path.ts'
import { isGraded, picture } from '../../pictures/picture.ts'
import type { ShownWork } from './shown-work.ts'

const MAX_SCREENSHOTS = 6
/** Maximum number of covers, including the one in the header. */
const MAX_COVERS = 13

/** Renders screenshots. Each visible one links to its full-size picture. */
export function screenshotsView(
  context: PageContext,
  { id, titles, screenshots }: ShownWork,
): Html {
  const { entry: texts } = context.messages
  return html`<ul class="screenshots tiles">${screenshots
    .slice(0, MAX_SCREENSHOTS)
    .map((media, index) => {
      const shot = { kind: 'galgame_screenshot', id, index } as const
      const title = `${titles[0].text} (${index + 1})`
      const options = {
        ...shot,
        media,
        title,
        shape: 'screenshot',
        sizes: '(min-width: 48rem) 18rem, 45vw',
      } as const
      const whole = () =>
        html`<a href="${wholePicturePath(shot, media)}" data-view>${picture(context, { ...options, graded: 'shown' })}</a>`
      if (!isGraded(media)) return html`<li>${whole()}</li>`
      const choice = context.graded?.(index)
      if (!choice) return html`<li>${picture(context, { ...options, graded: 'guest' })}</li>`
      const pictureId = `picture-${choice.name}`
      const href = `${choice.href}#${pictureId}`
      return html`<li id="${pictureId}" data-graded-part>${
        choice.isShown
          ? html`${whole()}<a class="hide" href="${href}" rel="nofollow" data-graded="${choice.name}">${texts.hidePicture}<span class="unseen"> ${title}</span></a>`
          : picture(context, { ...options, graded: { ...choice, href, text: texts.reveal } })
      }</li>`
    })}</ul>`
}

/** Renders the covers after the one in the header. Each links to its full-size picture, unless it is graded. */
export function otherCoversView(
  context: PageContext,
  { kind, id, titles, covers }: ShownWork,
): Html {
  const { coverOf } = context.messages.entry
  return html`<ul class="screenshots tiles covers">${covers
    .slice(1, MAX_COVERS)
    .map((media, before) => {
      const index = before + 1
      const title = coverOf({ title: `${titles[0].text} (${index + 1})` })
      const sizes = '(min-width: 48rem) 9rem, 30vw'
      const shown = {
        kind,
        id,
        index,
        media,
        title,
        shape: 'cover',
        sizes,
        graded: 'guest',
      } as const
      const image = picture(context, shown)
      if (isGraded(media)) return html`<li>${image}</li>`
      return html`<li><a href="${wholePicturePath(shown, media)}" data-view>${image}</a></li>`
    })}</ul>`
}

import { html, type Html } from '../../../ui/html.ts'
import type { GradedPicture, PageContext } from '../../../ui/page/page-context.ts'
import { wholePicturePath } from '../../pictures/picture-path.ts'
import { isGraded, picture, type PictureOptions } from '../../pictures/picture.ts'
import type { ShownWork } from './shown-work.ts'

const MAX_SCREENSHOTS = 6
/** Maximum number of covers, including the one in the header. */
const MAX_COVERS = 13

/** Renders screenshots. */
export function screenshotsView(
  context: PageContext,
  { id, titles, screenshots }: ShownWork,
): Html {
  return html`<ul class="screenshots tiles">${screenshots
    .slice(0, MAX_SCREENSHOTS)
    .map((media, index) =>
      pictureItem(context, index, {
        kind: 'galgame_screenshot',
        id,
        index,
        media,
        title: `${titles[0].text} (${index + 1})`,
        shape: 'screenshot',
        sizes: '(min-width: 48rem) 18rem, 45vw',
      }),
    )}</ul>`
}

/** Renders the covers after the one in the header. */
export function otherCoversView(
  context: PageContext,
  { kind, id, titles, covers }: ShownWork,
): Html {
  const { coverOf } = context.messages.entry
  return html`<ul class="screenshots tiles covers">${covers
    .slice(1, MAX_COVERS)
    .map((media, before) => {
      const index = before + 1
      return pictureItem(context, `cover ${index}`, {
        kind,
        id,
        index,
        media,
        title: coverOf({ title: `${titles[0].text} (${index + 1})` }),
        shape: 'cover',
        sizes: '(min-width: 48rem) 9rem, 30vw',
      })
    })}</ul>`
}

type Shown = Omit<PictureOptions, 'graded'> & {
  media: NonNullable<PictureOptions['media']>
  index: number
}

/** Renders a picture that links to its full-size version. Viewers who may see adult content can reveal a graded one. */
function pictureItem(context: PageContext, name: GradedPicture, shown: Shown): Html {
  const { entry: texts } = context.messages
  const { media, title } = shown
  const whole = () =>
    html`<a href="${wholePicturePath(shown, media)}" data-view>${picture(context, { ...shown, graded: 'shown' })}</a>`
  if (!isGraded(media)) return html`<li>${whole()}</li>`
  const choice = context.graded?.(name)
  if (!choice) return html`<li>${picture(context, { ...shown, graded: 'guest' })}</li>`
  const pictureId = `picture-${choice.name}`
  const href = `${choice.href}#${pictureId}`
  return html`<li id="${pictureId}" data-graded-part>${
    choice.isShown
      ? html`${whole()}<a class="hide" href="${href}" rel="nofollow" data-graded="${choice.name}">${texts.hidePicture}<span class="unseen"> ${title}</span></a>`
      : picture(context, { ...shown, graded: { ...choice, href, text: texts.reveal } })
  }</li>`
}

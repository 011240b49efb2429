import type { WorkKind } from '../../../catalog/kinds.ts'
import { dayElement, formatShortDate } from '../../../ui/format-time.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { shownNames } from '../../components/titles.ts'
import { wholePicturePath } from '../../pictures/picture-path.ts'
import { hasPictures, isGraded, picture } from '../../pictures/picture.ts'
import type { Volume } from '../entry-data.ts'
import { langOf } from '../facts-view.ts'

/** Renders volumes by number, with cover, date and ISBN. */
export function volumesView(
  context: PageContext,
  kind: Exclude<WorkKind, 'galgame'>,
  volumes: Volume[],
): Html {
  const { messages, language } = context
  const { entry: texts } = messages
  return html`<ol class="volumes tiles">${volumes.map((volume) => {
    const number = volume.volume_label ?? volume.volume_number
    const isNamed = Boolean(volume.name || volume.name_cn)
    const name = volume.name || volume.name_cn || numberedName(texts, number)
    const [title] = shownNames(context, { name, trans_name: volume.name_cn })
    const media = volume.covers ? volume.covers[0] : volume.cover
    const pictured = { kind: `${kind}_volume`, id: volume.id } as const
    const image = picture(context, {
      media,
      ...pictured,
      title: title.text,
      lang: isNamed ? title.lang : undefined,
      shape: 'cover',
      sizes: '5rem',
      graded: 'guest',
      decorative: true,
    })
    const isOpen = media && hasPictures(context) && !isGraded(media)
    const cover = isOpen
      ? html`<a href="${wholePicturePath(pictured, media)}" data-view aria-label="${texts.coverOf({ title: title.text })}">${image}</a>`
      : image
    const facts = [
      volume.publication_date
        ? dayElement(language, volume.publication_date)
        : volume.publication_date_text && formatShortDate(language, volume.publication_date_text),
      volume.isbn && html`<span class="number">ISBN ${volume.isbn}</span>`,
      volume.page_count && texts.pageCount({ amount: String(volume.page_count) }),
      volume.volume_type === 'EXTRA' && texts.extraVolume,
    ].filter(Boolean)
    return html`<li>${cover}<div>${isNamed && number !== null && html`<span class="volume-number">${number}</span> `}<span class="volume-name"${isNamed && langOf(title.lang)}>${title.text}</span><p class="quiet">${facts.map((fact, index) => html`${index > 0 && ' · '}${fact}`)}</p></div></li>`
  })}</ol>`
}

/** Returns the name of a volume without a title. A label that does not begin with a digit is shown as it is. */
function numberedName({ volume, volumeNumber }: Messages['entry'], number: string | number | null) {
  if (number === null) return volume
  return /^\d/.test(String(number)) ? volumeNumber({ number: String(number) }) : String(number)
}

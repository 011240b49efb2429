import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { entryPath } from '../components/entry-path.ts'
import { shownNames } from '../components/titles.ts'
import { picture, type PictureShape } from '../pictures/picture.ts'
import type { CastEntry, EntityRef } from './entry-data.ts'
import { roleName } from './labels.ts'
import { langOf } from './facts-view.ts'

type Named = 'person' | 'producer' | 'character'

/** Renders a name in the viewer's language as a link. */
export function nameLink(context: PageContext, kind: Named, target: EntityRef): Html {
  const [main] = shownNames(context, target)
  return html`<a href="${entryPath(kind, target.id)}"${langOf(main.lang)}>${main.text}</a>`
}

/** Renders the portrait or logo next to a name. */
const smallPicture = (
  context: PageContext,
  { kind, target, shape }: { kind: Named; target: EntityRef; shape: PictureShape },
): Html => {
  const [main] = shownNames(context, target)
  return picture(context, {
    media: target.image,
    kind,
    id: target.id,
    title: main.text,
    lang: main.lang,
    shape,
    sizes: '5rem',
    graded: 'guest',
    decorative: true,
  })
}

/** Renders characters with their portraits and voice actors. */
export function castView(context: PageContext, cast: CastEntry[]): Html {
  const { messages } = context
  return html`<ul class="cast tiles">${cast.map(
    ({ role, character, actors = [] }) =>
      html`<li>${smallPicture(context, { kind: 'character', target: character, shape: 'portrait' })}<div><p class="cast-name">${nameLink(context, 'character', character)}</p><p class="quiet">${roleName(messages, role)}</p>${
        actors.length > 0 &&
        html`<p class="voice"><span class="quiet">${messages.entry.voicedBy}</span> ${actors.map((actor, index) => html`${index > 0 && ' · '}${nameLink(context, 'person', actor)}`)}</p>`
      }</div></li>`,
  )}</ul>`
}

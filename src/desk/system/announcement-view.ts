import { LANGUAGE_FACTS, LANGUAGES } from '../../i18n/languages.ts'
import { MAX_ANNOUNCEMENT, type AnnouncementTexts } from '../../instance/announcement-queries.ts'
import { formatTime } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Announcement } from '../../ui/page/site.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { deskView } from '../desk-view.ts'

/** Hours for which an announcement can be shown. */
export const ENDINGS = { never: undefined, h1: 1, h4: 4, d1: 24, d3: 72, d7: 168 } as const
type Ending = keyof typeof ENDINGS

export const isEnding = (name: string): name is Ending => Object.hasOwn(ENDINGS, name)

/** Renders the form for the announcement, with a text in each language. */
export function announcementView(
  context: PageContext,
  {
    announcement,
    typed,
    fault,
    notice,
  }: {
    announcement: Announcement | undefined
    typed: AnnouncementTexts
    fault?: string
    notice?: Html | undefined
  },
): View {
  const { announcement: texts } = context.messages.desk
  // as: the keys of this table
  const endings = Object.keys(ENDINGS) as Ending[]
  return deskView(context, {
    part: 'announcement',
    lead: texts.lead,
    notice:
      fault === undefined
        ? notice
        : html`<div class="notice error" role="alert"><p>${fault}</p></div>`,
    body: html`${
      announcement &&
      html`<form method="post" action="/desk/announcement/end" class="cluster">${context.csrfField()}<p><strong>${announcement.endsAt ? texts.until({ time: formatTime(context, announcement.endsAt) }) : texts.now}</strong></p><button class="secondary">${texts.end}</button></form>`
    }
<form method="post" action="/desk/announcement">
${context.csrfField()}
${LANGUAGES.map(
  (language) =>
    html`<p class="field"><label for="text-${language}" lang="${language}">${LANGUAGE_FACTS[language].name}</label>
<textarea id="text-${language}" name="${language}" lang="${language}" rows="2" maxlength="${MAX_ANNOUNCEMENT}">${typed[language]}</textarea></p>\n`,
)}<p class="field"><label for="ends">${texts.ends}</label>
<select id="ends" name="ends">${endings.map((name) => html`<option value="${name}">${texts.endings[name]}</option>`)}</select></p>
<div class="actions"><button>${texts.submit}</button></div>
</form>`,
  })
}

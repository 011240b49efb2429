import type { FastifyInstance } from 'fastify'
import {
  announce,
  endAnnouncement,
  findAnnouncement,
  MAX_ANNOUNCEMENT,
  textsIn,
} from '../../instance/announcement-queries.ts'
import { databaseTime } from '../../db/upkeep/database-clock.ts'
import { LANGUAGES } from '../../i18n/languages.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { FOR_ADMINS } from '../guard.ts'
import { actorOf } from '../moderator-action.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import { announcementView, ENDINGS, isEnding } from './announcement-view.ts'

const PATH = '/desk/announcement'

/** Registers the page on which administrators announce something on every page. */
export async function announcementRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get(PATH, FOR_ADMINS, async (request, reply) => {
    const announcement = await findAnnouncement(db)
    const notice = await takeDoneNotice(db, request, reply)
    const typed = announcement?.texts ?? {}
    return sendCatalogPage(
      request,
      reply,
      announcementView(request.page, { announcement, typed, notice }),
    )
  })

  app.post(PATH, FOR_ADMINS, async (request, reply) => {
    const texts = textsIn(
      Object.fromEntries(LANGUAGES.map((language) => [language, fieldOf(request, language)])),
    )
    const { announcement: words } = request.page.messages.desk
    const isLong = Object.values(texts).some((text) => [...text].length > MAX_ANNOUNCEMENT)
    const ending = fieldOf(request, 'ends')
    if (isLong || Object.keys(texts).length === 0) {
      const fault = isLong ? words.long({ most: MAX_ANNOUNCEMENT }) : words.empty
      const announcement = await findAnnouncement(db)
      const view = announcementView(request.page, { announcement, typed: texts, fault })
      return sendCatalogPage(request, reply, view, { status: 422 })
    }
    const hours = isEnding(ending) ? ENDINGS[ending] : undefined
    const endsAt =
      hours === undefined
        ? undefined
        : new Date((await databaseTime(db)).getTime() + hours * 3_600_000)
    await announce(db, { texts, endsAt }, actorOf(request))
    return redirectWithDone(reply, PATH, { done: 'announced' })
  })

  app.post(`${PATH}/end`, FOR_ADMINS, async (request, reply) => {
    const isEnded = await endAnnouncement(db, actorOf(request))
    return redirectWithDone(reply, PATH, { done: isEnded ? 'announcementEnded' : 'already' })
  })
}

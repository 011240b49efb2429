import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/database.ts'
import { findProfileCards } from '../../profiles/directory-queries.ts'
import {
  getNotificationSettings,
  listNotifications,
  markNotificationsRead,
  saveNotificationSettings,
  type Notification,
} from '../../notifications/queries.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { redirectWithNotice, takeNotice } from '../../ui/page/notice.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { requireSignIn } from '../require-sign-in.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { NOTIFICATIONS_PATH, notificationsView } from './notifications-view.ts'

/** Serves the user's notifications and their settings. */
export async function notificationRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  const accountOf = requireSignIn(app, db, NOTIFICATIONS_PATH)

  app.get(NOTIFICATIONS_PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    // The time of the newest notification would tell when a user has voted.
    const until = request.page.site?.now() ?? Date.now()
    const [notifications, settings] = await Promise.all([
      listNotifications(db, accountId, request.page.viewer?.nsfw ?? false),
      getNotificationSettings(db, accountId),
    ])
    const followers = await findFollowers(db, notifications)
    const isSaved = takeNotice(request, reply, ['notifications_saved']) !== undefined
    const view = notificationsView(request.page, {
      notifications,
      followers,
      settings,
      until: Math.floor(until),
      isSaved,
    })
    return sendCatalogPage(request, reply, view)
  })

  app.post(NOTIFICATIONS_PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    if (fieldOf(request, 'action') === 'read') {
      await markNotificationsRead(db, accountId, readTime(fieldOf(request, 'until')))
      return reply.redirect(NOTIFICATIONS_PATH, 303)
    }
    const isOn = (name: string) => fieldOf(request, name) === 'yes'
    await saveNotificationSettings(db, accountId, {
      notifies_volumes: isOn('volumes'),
      notifies_votes: isOn('votes'),
      notifies_reports: isOn('reports'),
      notifies_followers: isOn('followers'),
    })
    return redirectWithNotice(reply, NOTIFICATIONS_PATH, 'notifications_saved')
  })
}

/** Finds the followers whom notifications name, keyed by account id. */
export const findFollowers = (db: Database, notifications: readonly Notification[]) =>
  findProfileCards(
    db,
    notifications.flatMap(({ kind, subject_id: id }) =>
      kind === 'followers' && id !== null ? [id] : [],
    ),
  )

/** Reads a time in milliseconds. Without a valid one, nothing is marked as read. */
function readTime(text: string): Date {
  return new Date(/^\d{1,13}$/.test(text) ? Number(text) : 0)
}

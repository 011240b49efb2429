import type { FastifyInstance } from 'fastify'
import {
  followProfile,
  listFollowed,
  unfollowHidden,
  unfollowProfile,
} from '../../profiles/follow-queries.ts'
import { listTimeline } from '../../profiles/timeline-queries.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { refererPath } from '../../ui/forms/return-path.ts'
import { redirectWithNotice, takeNotice } from '../../ui/page/notice.ts'
import { readPosition } from '../community/position.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { requireSignIn } from '../require-sign-in.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { FOLLOWING_PATH, followingView } from './following-view.ts'
import { TIMELINE_PATH, timelineView } from './timeline-view.ts'

const PAGE_SIZE = 30

/** Serves the profiles that a user follows, and what they publish. */
export async function followingRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  const accountOf = requireSignIn(app, db, FOLLOWING_PATH)

  app.get(FOLLOWING_PATH, PAGE, async (request, reply) => {
    const profiles = await listFollowed(db, accountOf(request))
    const isFull = takeNotice(request, reply, ['follows_full']) !== undefined
    return sendCatalogPage(request, reply, followingView(request.page, { profiles, isFull }))
  })

  app.post(FOLLOWING_PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    if (fieldOf(request, 'action') === 'unfollow_hidden') {
      await unfollowHidden(db, accountId)
      return reply.redirect(FOLLOWING_PATH, 303)
    }
    const followedId = parseId(fieldOf(request, 'account'))
    const back = refererPath(request, FOLLOWING_PATH)
    if (fieldOf(request, 'action') === 'unfollow') {
      await unfollowProfile(db, accountId, followedId)
      return reply.redirect(back, 303)
    }
    const outcome = await followProfile(db, accountId, followedId)
    if (outcome === 'missing') throw notFound()
    return outcome === 'too_many'
      ? redirectWithNotice(reply, FOLLOWING_PATH, 'follows_full')
      : reply.redirect(back, 303)
  })

  app.get(TIMELINE_PATH, PAGE, async (request, reply) => {
    const after = readPosition(request)
    const found = await listTimeline(db, accountOf(request), {
      seesNsfw: request.page.viewer?.nsfw ?? false,
      after,
      limit: PAGE_SIZE + 1,
    })
    const entries = found.slice(0, PAGE_SIZE)
    const last = found.length > PAGE_SIZE ? entries.at(-1) : undefined
    const next = last && { value: last.updated_at.getTime(), id: last.id }
    const view = timelineView(request.page, { entries, isFirst: !after, next })
    return sendCatalogPage(request, reply, view)
  })
}

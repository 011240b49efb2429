import { findRating } from '../../src/ratings/own/queries.ts'
import { addAccount } from './accounts.ts'
import { signedInBrowser } from './authorization.ts'
import { csrfTokenOf, type Visit } from './browser.ts'
import type { TestService } from './service.ts'
import { first, sampleWorks } from './sample-works.ts'

export const USER_PASSWORD = 'a long enough one'

/** A work of each kind. */
export type WorksOfEachKind = { novel: number; game: number; manga: number }

export async function worksOfEachKind({ db }: TestService): Promise<WorksOfEachKind> {
  const works = await sampleWorks(db)
  return { novel: first(works.light_novel), game: first(works.galgame), manga: first(works.manga) }
}

let users = 0

/** Signs in a new user with a browser without scripts, and returns helpers for the pages of their list. */
export async function createLibraryUser(service: TestService, { novel }: WorksOfEachKind) {
  const email = `list-${++users}@example.com`
  const accountId = await addAccount(service.db, { email, name: 'Reader', password: USER_PASSWORD })
  const browser = await signedInBrowser(service, { email, password: USER_PASSWORD })

  /** Submits a form on a work's page, for forms that do not depend on the user's rating. */
  async function send(path: string, fields: Record<string, string>): Promise<Visit> {
    const page = await browser.get(`/library/light-novels/${novel}`)
    return browser.post(path, { _csrf: csrfTokenOf(page), ...fields })
  }
  return {
    email,
    accountId,
    browser,
    send,
    mark: (fields: Record<string, string>, path = `light-novels/${novel}`) =>
      send(`/library/${path}/mark`, { back: '/library', ...fields }),
    /** Returns the user's rating of the novel. */
    stored: () => findRating(service.db, { accountId, kind: 'light_novel', workId: novel }),
    undo: (visit: Visit) => browser.press(visit, '/undo'),
  }
}

export type LibraryUser = Awaited<ReturnType<typeof createLibraryUser>>

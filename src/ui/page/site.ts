import type { FastifyRequest } from 'fastify'

/** Who looks at a page: somebody with an account. */
export type PageReader = {
  accountId: number
  name: string
  picture: string | null
  /** Whether works for adults are shown to them. */
  nsfw: boolean
  /** What they may do at the desk; null: nothing. */
  role: 'MODERATOR' | 'ADMIN' | null
  /** When they last proved who they are: seconds since 1970. */
  signedInAt: number
  /** Whether what tells what happens stands there unfolded. */
  showsSpoilers: boolean
  /** An IANA name; missing: as the browser says. */
  timeZone: string | undefined
}

/** A source of the catalog's data, as the foot of every page names it. */
export type FootSource = {
  name: string
  url: string
  licences: readonly { name: string; url: string }[]
  /** The day of its dump, `YYYY-MM-DD`. */
  date: string | null
}

/** What the frame of every page is told by parts of the service that stand above the pages. */
export type Site = {
  /** Whether pages are reached by https only, and cookies with them. */
  secure: boolean
  /** Of a file of `assets/`, by its name; it changes with its content. */
  assetAddress(name: string): string
  /** Whether pages show the sources' pictures (`IMAGES`). */
  pictures: boolean
  sources(): readonly FootSource[]
  /** Undefined: nobody is signed in. */
  readerOf(request: FastifyRequest): Promise<PageReader | undefined>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Missing where pages are tested by themselves. */
    site?: Site
  }
}

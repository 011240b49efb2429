import type { FastifyRequest } from 'fastify'
import type { LegalPageName } from '../../config/config.ts'
import type { TitlePreference } from '../title-preference.ts'
import type { Language } from '../../i18n/languages.ts'

/** Signed-in viewer of a page. */
export type PageViewer = {
  accountId: number
  name: string
  picture: string | null
  /** Whether adult works are shown. */
  nsfw: boolean
  /** Role at the desk; null without access. */
  role: 'MODERATOR' | 'ADMIN' | null
  /** Time of the last authentication, in seconds since 1970. */
  signedInAt: number
  /** Whether the viewer can confirm changes with a password. */
  hasPassword: boolean
  /** Whether spoilers are shown expanded. */
  showsSpoilers: boolean
  /** Titles that pages show to the user. */
  titles: TitlePreference
  /** IANA time zone; undefined for the browser's own. */
  timeZone: string | undefined
}

/** Source of the catalog's data, as the footer names it. */
export type FooterSource = {
  name: string
  url: string
  licences: readonly { name: string; url: string }[]
  /** Date of its dump, `YYYY-MM-DD`. */
  date: string | null
}

/** Text of the operator on every page. */
export type Announcement = {
  id: number
  texts: Readonly<Partial<Record<Language, string>>>
  /** Undefined if it has no end. */
  endsAt?: Date
}

/** Logo of the site in the header. */
export type SiteLogo = {
  url: string
  /** Size in the header, in CSS pixels. */
  width: number
  height: number
  /** Whether it replaces the name. */
  isWordmark: boolean
}

/** Entry whose name resembles the last part of the path of a missing page. */
export type NearEntry = { href: string; text: string; lang: string | undefined }

/** Data for the page frame, provided by higher layers. */
export type Site = {
  name: string
  logo: SiteLogo | undefined
  /** Icons for the browser's tabs, the preferred one first. */
  icons: readonly { url: string; type: string }[]
  /** Language of pages for people who prefer none of the supported ones. */
  defaultLanguage: Language
  /** Pages with the operator's terms. Each is served under its name. */
  legalPages: readonly LegalPageName[]
  /** A `mailto:` or https URL. */
  contact: string | undefined
  /** Whether pages are served over https only, so that cookies require it. */
  secure: boolean
  /** Returns the URL of an asset by its name. The URL changes with the content. */
  assetUrl(name: string): string
  /** Whether pages show the sources' pictures (`IMAGES`). */
  pictures: boolean
  /** Whether apps can have webhooks (`WEBHOOKS`). */
  webhooks: boolean
  /** How lists show adult works to viewers who have not turned them on (`ADULT_WORKS`). */
  adultWorks: 'hidden' | 'blurred'
  /** Whether browsers store the offline page (`SERVICE_WORKER`). */
  hasServiceWorker: boolean
  announcement(): Announcement | undefined
  sources(): readonly FooterSource[]
  /** Returns the time of the database, in milliseconds since 1970. */
  now: () => number
  /**
   * Finds entries that the viewer may see by the last part of a path. Resolves to an empty list if it fails.
   *
   * @param missing last part of the path, and the client's address if no rate limit has counted the
   * request
   */
  findNearest(
    missing: { place: string; uncounted: string | undefined },
    viewer: PageViewer | undefined,
    titles: { language: Language; titlePreference: TitlePreference },
  ): Promise<readonly NearEntry[]>
  /** Resolves to undefined for guests. */
  resolveViewer(request: FastifyRequest): Promise<PageViewer | undefined>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Undefined in tests that register only the pages. */
    site?: Site
  }
}

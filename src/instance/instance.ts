import { readFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import type { Language } from '../i18n/languages.ts'
import { DEFAULT_BRAND, type MailBrand } from '../accounts/mail/render-mail.ts'
import type { Site, SiteLogo } from '../ui/page/site.ts'
import { accentStylesheet, accentTokens } from './accent.ts'
import { readLegalPages, type LegalPages } from './legal-pages.ts'
import { iconsOf, readLogo, type Logo } from './logo.ts'

/** Name, look and texts that the operator has given the site. */
export type Instance = {
  legalPages: LegalPages
  /** Files that replace assets of the program or are added to them, keyed by name. */
  assets: ReadonlyMap<string, Buffer>
  /** Stylesheet that follows the program's own; empty with the default accent color. */
  stylesheet: string
  /** How emails present the site. */
  mail: { brand: MailBrand; defaultLanguage: Language }
  /** @param assetUrl returns the URL of an asset by its name */
  site(
    assetUrl: Site['assetUrl'],
  ): Pick<Site, 'name' | 'logo' | 'icons' | 'defaultLanguage' | 'legalPages' | 'contact'>
}

/** Height of a logo in the header, in CSS pixels. */
const LOGO_HEIGHT = 36
/** Proportion of width to height from which a logo contains the name. */
const MIN_WORDMARK_RATIO = 2.2
/** Maximum width of a logo in the header, in CSS pixels. */
const MAX_LOGO_WIDTH = 220

const DEFAULT_ICON = new URL('../ui/assets/favicon.svg', import.meta.url)

/**
 * Reads the files of the instance, and derives colors and icons.
 *
 * @throws {ConfigError} if a file or the color cannot be used
 */
export async function openInstance(config: Config): Promise<Instance> {
  const { instanceName: name, instanceLogo, accentColor, defaultLanguage } = config
  const logo = instanceLogo === undefined ? undefined : await readLogo(instanceLogo)
  const legalPages = await readLegalPages(config)
  const accent = accentColor === undefined ? undefined : accentTokens(accentColor).light
  const assets = logo ? assetsOf(logo) : accent ? await accentIcons(accent.accent) : NO_ASSETS
  const button = accent
    ? { background: accent.accent, text: accent.onAccent }
    : DEFAULT_BRAND.button
  return {
    legalPages,
    assets,
    stylesheet: accentColor === undefined ? '' : accentStylesheet(accentColor),
    mail: { brand: { name, button }, defaultLanguage },
    site: (assetUrl) => ({
      name,
      logo: logo && shownLogo(logo, assetUrl),
      icons: iconLinks(assets, assetUrl),
      defaultLanguage,
      legalPages: [...legalPages.keys()],
      contact: config.publicContact,
    }),
  }
}

const NO_ASSETS: ReadonlyMap<string, Buffer> = new Map()

const assetsOf = ({ icons, file }: Logo) => new Map([...icons, [file.name, file.bytes]])

/** Draws the icon of the program in the accent color. */
async function accentIcons(accent: string): Promise<Map<string, Buffer>> {
  const drawing = await readFile(DEFAULT_ICON, 'utf8')
  const colored = Buffer.from(drawing.replace('#2b4c80', accent))
  return new Map([...(await iconsOf(colored)), ['favicon.svg', colored]])
}

/** Browsers that support SVG prefer it. */
const iconLinks = (assets: ReadonlyMap<string, Buffer>, assetUrl: Site['assetUrl']) =>
  assets.has('favicon.png') && !assets.has('favicon.svg')
    ? [{ url: assetUrl('favicon.png'), type: 'image/png' }]
    : [{ url: assetUrl('favicon.svg'), type: 'image/svg+xml' }]

function shownLogo({ file, width, height }: Logo, assetUrl: Site['assetUrl']): SiteLogo {
  const ratio = width / height
  const shownWidth = Math.min(MAX_LOGO_WIDTH, Math.round(LOGO_HEIGHT * ratio))
  return {
    url: assetUrl(file.name),
    width: Math.max(1, shownWidth),
    height: Math.max(1, Math.min(LOGO_HEIGHT, Math.round(shownWidth / ratio))),
    isWordmark: ratio >= MIN_WORDMARK_RATIO,
  }
}

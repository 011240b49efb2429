import { resolve } from 'node:path'
import type { Setting } from './setting.ts'
import {
  color,
  contact,
  encryptedUrl,
  integer,
  line,
  mailDomains,
  mailbox,
  oneOf,
  providerNames,
  retention,
  secret,
  siteName,
  url,
} from './setting-readers.ts'

/** Settings of the instance: its name and pages, email, sign-up and sign-in. */
export const INSTANCE_SETTINGS = {
  INSTANCE_NAME: {
    read: siteName,
    default: 'mokuroku',
    about: 'Name of the site in titles, the header, emails, consent and passkeys.',
  },
  INSTANCE_LOGO: {
    read: (value: string) => resolve(value),
    default: undefined,
    about:
      'Path of the logo, an SVG, PNG or WebP file of at most 512 KiB. It is also the icon of the site. Wide logos replace the name in the header.',
  },
  ACCENT_COLOR: {
    read: color,
    default: undefined,
    about:
      'Color of links, buttons and the icon, such as `#2b4c80`. Each theme uses the nearest lightness with enough contrast.',
  },
  DEFAULT_LANGUAGE: {
    read: oneOf('en', 'ja', 'zh-Hans', 'zh-Hant', 'ko'),
    default: 'en',
    about:
      'Language of pages and emails for people who prefer none of the five: `en`, `ja`, `zh-Hans`, `zh-Hant` or `ko`.',
  },
  SERVICE_WORKER: {
    read: oneOf('on', 'off'),
    default: 'on',
    about:
      'Whether browsers cache an offline page and the assets of pages. With `off`, browsers delete what they have cached.',
  },
  WEBHOOKS: {
    read: oneOf('on', 'off'),
    default: 'on',
    about:
      'Whether developers can have events delivered to their own servers. With `off`, nothing is delivered, and the console has no page for it.',
  },
  CONTACT: {
    read: contact,
    default: undefined,
    about:
      'Contact of the operator, for users who cannot sign in and for security reports: `mailto:contact@host` or an https URL. Published in the footer and in `/.well-known/security.txt`. Defaults to the address in `MAIL_FROM`, which the footer does not show. Formerly `SECURITY_CONTACT`.',
    formerName: 'SECURITY_CONTACT',
  },
  TERMS_FILE: {
    read: (value: string) => resolve(value),
    default: undefined,
    about:
      'Path of the terms of service, a Markdown file shown at `/terms`. Translations are in the same folder, with the language before the extension: `.ja.md`.',
  },
  PRIVACY_FILE: {
    read: (value: string) => resolve(value),
    default: undefined,
    about: 'Path of the privacy policy, a Markdown file shown at `/privacy`, with translations.',
  },
  IMPRINT_FILE: {
    read: (value: string) => resolve(value),
    default: undefined,
    about: 'Path of the imprint, a Markdown file shown at `/imprint`, with translations.',
  },
  SECRET_KEY: {
    read: secret,
    default: undefined,
    about:
      'Encrypts signing keys, cookie keys and the secrets of authenticator apps in the database. Keep a copy: they cannot be read without it.',
    secret: 'whole',
  },
  SMTP_URL: {
    read: url('smtp://user:password@host:587', 'smtp', 'smtps'),
    default: undefined,
    about:
      'URL of the mail server: `smtp://user:password@host:587` or `smtps://…:465`. If unset, emails are written to `DATA_DIR/outbox` and their links to the log.',
    secret: 'whole',
  },
  MAIL_FROM: {
    read: mailbox,
    default: 'mokuroku <mokuroku@localhost>',
    about: 'Sender of emails: `name <address>`, or an address.',
  },
  SIGN_UP: {
    read: oneOf('open', 'invitation', 'approval', 'closed'),
    default: 'open',
    about:
      'Who may create an account: anyone (`open`), holders of an invitation (`invitation`), anyone whom an administrator approves (`approval`), or no one (`closed`). `mokuroku account create` always works.',
  },
  SIGN_UP_MAIL_DOMAINS: {
    read: mailDomains,
    default: undefined,
    about:
      'Comma-separated domains of the email addresses that users may sign up with or change to: `example.org` is exactly this domain, `.example.org` its subdomains. If unset, all domains.',
  },
  UPSTREAM_PROVIDERS: {
    read: providerNames,
    default: undefined,
    about:
      'Comma-separated names, such as `google,company`, of OpenID providers with which users can sign in. Each has the settings `UPSTREAM_NAME_…`, with its name in upper case.',
  },
  APPS_PER_ACCOUNT: {
    read: integer(0, 1_000_000),
    default: '20',
    about: 'Maximum number of apps per account.',
  },
  PERSONAL_TOKEN_LIFETIME: {
    read: retention(1),
    default: 'forever',
    about:
      'Maximum lifetime of new personal access tokens, such as `90d`. With `forever`, users may create tokens that do not expire.',
  },
} satisfies Record<string, Setting<unknown>>

/** Settings of a sign-in provider, which follow its name. */
const UPSTREAM_SETTINGS = {
  ISSUER: {
    read: encryptedUrl('https://accounts.google.com'),
    default: undefined,
    about:
      'Issuer of the provider: the URL before `/.well-known/openid-configuration`. Must be https, except on this machine.',
  },
  CLIENT_ID: {
    read: line(255),
    default: undefined,
    about:
      'Client ID from the provider. Register the redirect URI `AUTH_URL/sign-in/with/NAME/callback` there, with the name in lower case.',
  },
  CLIENT_SECRET: {
    read: line(2_048),
    default: undefined,
    about: 'Client secret from the provider.',
    secret: 'whole',
  },
  LABEL: {
    read: line(40),
    default: undefined,
    about: 'Name of the provider on the button “Continue with …”. Defaults to the name.',
  },
} satisfies Record<string, Setting<unknown>>

type UpstreamKey = keyof typeof UPSTREAM_SETTINGS

/** Returns the settings of a sign-in provider, keyed by the end of their names. */
export function upstreamSettings(
  provider: string,
): Record<UpstreamKey, { name: string; setting: Setting<string> }> {
  const entries = Object.entries<Setting<string>>(UPSTREAM_SETTINGS).map(([key, setting]) => [
    key,
    { name: `UPSTREAM_${provider.toUpperCase()}_${key}`, setting },
  ])
  // as: the same keys
  return Object.fromEntries(entries) as Record<
    UpstreamKey,
    { name: string; setting: Setting<string> }
  >
}

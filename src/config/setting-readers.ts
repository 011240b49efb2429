import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import { databaseHosts } from './database-hosts.ts'
import { isMailDomain } from './mail-domain.ts'
import { inNetworks, isLoopback, isPublicAddress } from '../kernel/networks.ts'

/**
 * Readers that convert the text of a setting to its value. Each throws an Error whose message completes "NAME must be
 * …".
 */

export function integer(min: number, max: number) {
  return (value: string) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`a whole number from ${min} to ${max}`)
    return number
  }
}

/** Reads a share from 0 to 1. */
export function share(value: string) {
  const number = Number(value)
  if (!/^\d*\.?\d+$/.test(value) || number > 1) throw new Error('a number from 0 to 1')
  return number
}

/** Reads a number of processes. `auto` means one for each core of the machine. */
export function workerCount(value: string) {
  if (value === 'auto') return value
  try {
    return integer(1, 256)(value)
  } catch {
    throw new Error('auto or a whole number from 1 to 256')
  }
}

const MINUTES_PER: Record<string, number> = { m: 1, h: 60, d: 1_440 }

/** Reads the time between two runs: a number of hours, or a number with a unit. Returns milliseconds, or `off`. */
export function interval(value: string) {
  if (value === 'off') return value
  const [, amount, unit = 'h'] = /^(\d{1,5})([mhd])?$/.exec(value) ?? []
  const minutes = Number(amount) * (MINUTES_PER[unit] ?? 0)
  if (!(minutes > 0)) throw new Error('off, or a time such as 24h, 90m or 7d')
  return minutes * 60_000
}

/** Reads a retention window. Returns days, or `forever`. */
export const retention = (minDays: number) => (value: string) => {
  if (value === 'forever') return value
  const [, days] = /^(\d{1,5})d$/.exec(value) ?? []
  if (!(Number(days) >= minDays))
    throw new Error(`forever, or a number of days such as 365d, at least ${minDays}d`)
  return Number(days)
}

export function flag(value: string) {
  if (value === 'true' || value === 'false') return value === 'true'
  throw new Error('true or false')
}

/** Reads where the access log goes. A path becomes absolute. */
export const accessLogTarget = (value: string) =>
  ['off', 'log', 'stdout'].includes(value) ? value : resolve(value)

export function oneOf<const Value extends string>(...values: Value[]) {
  return (value: string) => {
    const found = values.find((candidate) => candidate === value)
    if (found === undefined) throw new Error(`one of ${values.join(', ')}`)
    return found
  }
}

/**
 * Reads an origin of this service. Tokens contain it and are compared literally, so only its normalized form is
 * accepted.
 */
export function origin(value: string) {
  const url = URL.parse(value)
  const known = url && /^https?:$/.test(url.protocol) ? url.origin : 'https://api.example.org'
  if (known !== value)
    throw new Error(`an http or https URL without a path or trailing slash, such as ${known}`)
  return value
}

/** Reads a port with a host name, or with an IP address that is not public. */
export function privateHostAndPort(value: string) {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(value) ?? []
  const name = bracketed ?? plain ?? ''
  try {
    host(name)
    integer(1, 65_535)(port)
  } catch {
    throw new Error('an address and a port such as 127.0.0.1:9464 or [::1]:9464')
  }
  if (isPublicAddress(name))
    throw new Error('on a loopback or private network, because it requires no password')
  return { host: name, port: Number(port) }
}

/** Reads a comma-separated list of origins. */
export function origins(value: string): readonly string[] {
  const list = value.split(',').map((text) => text.trim())
  for (const text of list) origin(text)
  return list
}

/**
 * Reads the URL of another server. Special characters must be percent-encoded. Otherwise, part of a password could be
 * parsed as a host.
 */
export function url(example: string, ...schemes: string[]) {
  return (value: string) => {
    const url = URL.parse(value)
    const scheme = schemes.some((known) => value.startsWith(`${known}://`))
    if (
      !url ||
      !scheme ||
      url.hash ||
      `${url.pathname}${url.search}`.includes('@') ||
      !isDecodable(value)
    )
      throw new Error(`a URL such as ${example}, with special characters percent-encoded`)
    return value
  }
}

/** Reads the URL of a PostgreSQL server, which may name several hosts: `postgres://user@a:5432,b:5432/database`. */
export function databaseUrl(value: string) {
  const read = url('postgres://user:password@host/database', 'postgres', 'postgresql')
  for (const each of databaseHosts(value).urls) read(each)
  return value
}

/** Reads URLs of other servers, separated by commas or spaces. Each names one host. */
export function urls(example: string, ...schemes: string[]) {
  const read = url(example, ...schemes)
  return (value: string): readonly string[] => {
    const list = value.split(/[\s,]+/).filter((text) => text !== '')
    const rule = `a list of URLs such as ${example}, separated by commas, with special characters percent-encoded and each host once`
    try {
      for (const text of list) read(text)
    } catch {
      throw new Error(rule)
    }
    const hosts = new Set(list.map((text) => new URL(text).host))
    if (list.length === 0 || hosts.size < list.length) throw new Error(rule)
    return list
  }
}

/** Networks whose traffic does not leave the operator's machines. */
const isPrivate = inNetworks([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
])

/**
 * Reads mirrors of the hosts of pictures. A mirror uses https, except on this machine or at a private IP address.
 *
 * @returns base URLs without a trailing slash, keyed by the origin of the source
 */
export function pictureMirrors(hosts: readonly string[]) {
  return (value: string): ReadonlyMap<string, string> => {
    const mirrors = new Map<string, string>()
    for (const pair of value.split(',')) {
      const [source = '', ...rest] = pair.trim().split('=')
      const mirror = URL.parse(rest.join('='))
      const name = mirror?.hostname.replaceAll(/[[\]]/g, '') ?? ''
      const isNearby = name === 'localhost' || isPrivate(name)
      if (
        !hosts.some((known) => source === `https://${known}`) ||
        mirrors.has(source) ||
        !mirror ||
        !(mirror.protocol === 'https:' || (mirror.protocol === 'http:' && isNearby)) ||
        mirror.username ||
        mirror.password ||
        mirror.search ||
        mirror.hash
      )
        throw new Error(
          `a list such as https://lain.bgm.tv=https://mirror.example/bgm, with each source once (${hosts.join(', ')}) and https mirrors`,
        )
      mirrors.set(source, mirror.href.replace(/\/+$/, ''))
    }
    return mirrors
  }
}

/** Reads the URL of an HTTP proxy. As in curl, the URL may omit the scheme. */
export function proxy(value: string) {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const example = 'http://user:password@proxy:3128'
  const { pathname, search } = new URL(url(example, 'http', 'https')(text))
  if (pathname !== '/' || search)
    throw new Error(`a URL such as ${example}, with special characters percent-encoded`)
  return text
}

/** Reads the hosts that need no proxy, separated by commas or spaces. */
export function proxyExceptions(value: string) {
  const list = value
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((text) => text !== '')
  for (const entry of list)
    if (
      !/^(\*|(\*?\.)?[a-z\d_][\w.-]*(\/\d{1,3})?|\[?[\da-f:.]*:[\da-f:.]*\]?(\/\d{1,3})?)(:\d{1,5})?$/.test(
        entry,
      )
    )
      throw new Error('a comma-separated list of hosts such as localhost,.example.org,10.1.2.3')
  return list.map(normalizeHost)
}

/** Returns an entry of NO_PROXY as URLs write hosts: an IPv6 address has its short form, in brackets. */
function normalizeHost(entry: string) {
  const [, address = entry, port = ''] = /^\[(.*)\](:\d+)?$/.exec(entry) ?? []
  return isIP(address) === 6
    ? `${new URL(`http://[${address}]`).hostname}${port}`
    : entry.replace(/^\*(?=\.)/, '')
}

/** Reads the URL of a server that uses https or runs on this machine. */
export function encryptedUrl(example: string) {
  const read = url(example, 'https', 'http')
  return (value: string) => {
    const { protocol, hostname } = new URL(read(value))
    if (protocol === 'http:' && !isLoopback(hostname))
      throw new Error(`an https URL such as ${example}`)
    return value
  }
}

/**
 * Reads the URL of a bucket, whose name is the path or the first label of the host. Returns it without a trailing
 * slash.
 */
export function bucketUrl(value: string) {
  const { username, password, search, pathname, href } = new URL(
    url('https://s3.example.org/bucket', 'https', 'http')(value),
  )
  if (username || password || search || !/^\/(?:[\w.-]+\/?)?$/.test(pathname))
    throw new Error(
      'the URL of a bucket without credentials, such as https://s3.example.org/bucket or https://bucket.s3.example.org',
    )
  return href.replace(/\/$/, '')
}

/** Reads a prefix of object names. Returns it with a trailing slash. */
export function bucketPrefix(value: string) {
  const prefix = value.replace(/^\//, '').replace(/\/$/, '')
  const parts = prefix.split('/')
  if (prefix.length > 200 || !parts.every((part) => /^[\w-][\w.-]*$/.test(part)))
    throw new Error('letters, digits, hyphens and dots, such as mokuroku or sites/mokuroku')
  return `${prefix}/`
}

export type BucketContent = 'pictures' | 'uploads' | 'backups'

/** Reads the list of contents to store in the bucket. */
export function bucketContents(value: string): readonly BucketContent[] {
  return value.split(',').map((item) => {
    const content = item.trim()
    if (content !== 'pictures' && content !== 'backups' && content !== 'uploads')
      throw new Error('any of pictures, uploads and backups, separated by commas')
    return content
  })
}

const MAX_PROVIDERS = 10

/** Reads the names of sign-in providers, which become part of the names of their settings. */
export function providerNames(value: string) {
  const names = value.split(',').map((name) => name.trim())
  if (
    names.length > MAX_PROVIDERS ||
    new Set(names).size < names.length ||
    !names.every((name) => /^[a-z][a-z\d]{0,31}$/.test(name))
  )
    throw new Error(
      `at most ${MAX_PROVIDERS} different names of lower-case letters and digits, such as google,company`,
    )
  return names
}

/** Reads a line of text for a page. */
export function line(maxLength: number) {
  return (value: string) => {
    const text = value.trim()
    if (text === '' || [...text].length > maxLength || /\p{C}/u.test(text))
      throw new Error(`one line of at most ${maxLength} characters`)
    return text
  }
}

/** Reads a contact: `mailto:` with exactly one address, or the URL of a page. */
export function contact(value: string) {
  return /^mailto:[^\s@?#<>"]+@[^\s@?#<>"]+$/.test(value)
    ? value
    : url('mailto:security@host or https://host/contact', 'https')(value)
}

/** Maximum length of the site's name, in characters. A longer one fits into no header. */
const MAX_NAME_CHARACTERS = 40

/**
 * Reads the name of the site: one line without control characters. A line break would inject a header into emails, and
 * characters that reverse the text could imitate another name.
 */
export function siteName(value: string) {
  const name = value.trim()
  const isPrintable = !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\p{Co}]/u.test(name)
  if (!isPrintable || name === '' || [...name].length > MAX_NAME_CHARACTERS)
    throw new Error(`one line of 1 to ${MAX_NAME_CHARACTERS} characters`)
  return name
}

/** Reads an opaque color. Returns it as `#rrggbb`. */
export function color(value: string) {
  const [, short, long] = /^#(?:([\da-f]{3})|([\da-f]{6}))$/i.exec(value) ?? []
  const digits = long ?? short?.replaceAll(/./g, '$&$&')
  if (digits === undefined) throw new Error('one opaque color in hexadecimal, such as #2b4c80')
  return `#${digits.toLowerCase()}`
}

function isDecodable(value: string) {
  try {
    return decodeURIComponent(value) !== ''
  } catch {
    return false
  }
}

export function host(value: string) {
  const name = isIP(value) > 0 || /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(value)
  if (!name || !URL.canParse(`http://${hostInUrl(value)}`))
    throw new Error('an IP address (IPv6 without brackets) or a host name')
  return value
}

export function secret(value: string) {
  if (value.length < 32)
    throw new Error('at least 32 characters long, such as the output of `openssl rand -base64 32`')
  return value
}

/** Reads a mailbox: one line with one address. A line break would inject a header into the email. */
export function mailbox(value: string) {
  const address = /^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value
  if (/[\p{Cc}\u2028\u2029]/u.test(value) || !/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address))
    throw new Error('a mail address, optionally as name <address>')
  return value
}

/** Reads domains of email addresses, and returns them in lower case and ASCII form. */
export function mailDomains(value: string): readonly string[] {
  return value.split(',').map((item) => {
    const [, dot = '', name = ''] = /^(\.?)(.*)$/.exec(item.trim()) ?? []
    const domain = domainToASCII(name.normalize('NFKC'))
    if (!isMailDomain(domain))
      throw new Error('a comma-separated list of domains such as example.org,.example.net')
    return dot + domain
  })
}

/** Returns the host for a URL on this machine. A server that listens on all addresses is reachable at 127.0.0.1. */
export function hostInUrl(host: string) {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

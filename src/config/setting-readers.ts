import { isIP } from 'node:net'

/** How the text of a setting becomes its value. Each reader throws an Error whose message completes "NAME must be …". */

export function integer(min: number, max: number) {
  return (value: string) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`a whole number from ${min} to ${max}`)
    return number
  }
}

/** A number of processes; `auto` leaves it to the machine. */
export function workerCount(value: string) {
  if (value === 'auto') return value
  try {
    return integer(1, 256)(value)
  } catch {
    throw new Error('auto or a whole number from 1 to 256')
  }
}

export function flag(value: string) {
  if (value === 'true' || value === 'false') return value === 'true'
  throw new Error('true or false')
}

export function oneOf<const Value extends string>(...values: Value[]) {
  return (value: string) => {
    const found = values.find((candidate) => candidate === value)
    if (found === undefined) throw new Error(`one of ${values.join(', ')}`)
    return found
  }
}

/** An address this service is known by. Tokens name it to the letter, so it has one spelling: that of an origin. */
export function origin(value: string) {
  const url = URL.parse(value)
  const known = url && /^https?:$/.test(url.protocol) ? url.origin : 'https://api.example.org'
  if (known !== value)
    throw new Error(
      `an http or https address without a path or a slash at its end, such as ${known}`,
    )
  return value
}

/** Origins with commas between them. */
export function origins(value: string) {
  const list = value.split(',').map((text) => text.trim())
  for (const text of list) origin(text)
  return list
}

/** Where another server is. What a URL cannot hold as it is must be encoded, or half a password becomes a host. */
export function address(example: string, ...schemes: string[]) {
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
      throw new Error(`an address such as ${example}, with special characters percent-encoded`)
    return value
  }
}

/** The same of a server that is asked over https, or is this machine. */
export function encryptedAddress(example: string) {
  const read = address(example, 'https', 'http')
  return (value: string) => {
    const { protocol, hostname } = new URL(read(value))
    if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
      throw new Error(`an https address such as ${example}`)
    return value
  }
}

/** Where people write to: `mailto:` with one address and nothing else, or a page. */
export function contact(value: string) {
  return /^mailto:[^\s@?#<>"]+@[^\s@?#<>"]+$/.test(value)
    ? value
    : address('mailto:security@host or https://host/contact', 'https')(value)
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
    throw new Error('an IP address (of IPv6 without brackets) or a host name')
  return value
}

export function secret(value: string) {
  if (value.length < 32)
    throw new Error('at least 32 characters long; `openssl rand -base64 32` makes a good one')
  return value
}

/** One line, with one address: a line break would be another header of the mail. */
export function mailbox(value: string) {
  const address = /^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value
  if (/[\p{Cc}\u2028\u2029]/u.test(value) || !/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address))
    throw new Error('an address, alone or as name <address>')
  return value
}

/** A server that listens everywhere is reached from its own machine as 127.0.0.1. */
export function hostInUrl(host: string) {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

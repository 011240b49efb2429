/** How a program comes by a token: as itself, for somebody in a browser on the same device, or on another. */
export type Flow = 'client-credentials' | 'code' | 'device'

/** What is put into a snippet. */
export type SnippetParts = {
  clientId: string
  /** Where the secret goes in a request; missing: the app is public and has none. */
  secret: 'header' | 'form' | undefined
  /** Of the OpenID provider. */
  issuer: string
  /** A search of the catalog. */
  search: string
  /** Of loopback, with a port. */
  redirectUri: string
  /** Its host, without brackets. */
  host: string
  port: string
  path: string
}

/** RFC 8628. */
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'

/** A text between quotes, for every language whose escapes are those of JSON: JavaScript, Python and Go. */
export const quoted = (text: string): string => JSON.stringify(text)

/** For single quotes of a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The lines that are there, one below the other. */
export const lines = (...parts: (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined).join('\n') + '\n'

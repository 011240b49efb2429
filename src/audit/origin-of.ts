type Request = { ip: string; headers: { 'user-agent'?: string | undefined } }

/** Where a request came from, for the log and for mails. */
export const originOf = ({ ip, headers }: Request) => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
})

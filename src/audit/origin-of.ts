type Request = { ip: string; headers: { 'user-agent'?: string | undefined } }

/** Returns a request's origin, for the audit log and emails. */
export const originOf = ({ ip, headers }: Request) => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
})

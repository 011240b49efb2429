const SECRET = /mkf_[^/]*/g

/** Returns the path of a URL for the log. Omits the query and replaces secrets in the path. */
export function loggedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  const decoded = decodePath(path)
  return decoded.includes('mkf_') ? decoded.replaceAll(SECRET, ':secret') : path
}

/** Decodes a path as the router does. In a malformed path, decodes each byte. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path.replaceAll(/%[\da-f]{2}/gi, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    )
  }
}

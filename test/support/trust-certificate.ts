import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

/**
 * Creates a certificate that this process trusts until `distrust` is called.
 *
 * @param names subject alternative names, such as `IP:127.0.0.1,DNS:example.org`
 */
export function trustCertificate(names: string) {
  const folder = scratchFolder('certificate')
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test -keyout ${keyFile} -out ${certFile} -addext subjectAltName=${names}`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  )
  const [key, cert] = [readFileSync(keyFile, 'utf8'), readFileSync(certFile, 'utf8')]
  removeFolder(folder)
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  return { key, cert, distrust: () => setDefaultCACertificates(trusted) }
}

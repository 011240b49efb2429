import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listUnknownSettings } from '../../config/unknown-settings.ts'
import { isPublicHost } from '../../operations/warn-unprotected.ts'
import type { CheckContext, MachineCheck } from '../check.ts'
import { fault, warning, type Finding } from '../finding.ts'

/** Finds settings that have no effect, and settings that contradict each other. */
export const settingsCheck: MachineCheck = {
  id: 'settings',
  run: (context) => [...unknownSettings(context), ...contradictions(context)],
}

const unknownSettings = ({ environment, folder }: CheckContext): Finding[] =>
  listUnknownSettings(environment, folder).map(({ name, similar }) =>
    similar === undefined
      ? warning('settings.unknown', { params: { name } })
      : warning('settings.misspelled', { params: { name, similar } }),
  )

function contradictions({ config }: CheckContext): Finding[] {
  const { host, authUrl, apiUrl, baseUrl, secretKey, smtpUrl, mailFrom, trustedProxies } = config
  const isSecure = authUrl.startsWith('https:')
  const named = new URL(authUrl).hostname.replace(/^\[|\]$/g, '')
  const findings: Finding[] = []
  if (isSecure && trustedProxies === 0) findings.push(warning('settings.no_proxies'))
  for (const [name, url] of [
    ['API_URL', apiUrl],
    ['BASE_URL', baseUrl],
  ] as const)
    if (url.startsWith('https:') !== isSecure)
      findings.push(fault('settings.mixed_schemes', { params: { name } }))
  if (smtpUrl !== undefined && /@localhost>?$/.test(mailFrom))
    findings.push(warning('settings.local_sender', { params: { sender: mailFrom } }))
  if (!isPublicHost(host) && !isPublicHost(named)) return findings
  if (secretKey === undefined) findings.push(fault('settings.no_secret_key'))
  if (smtpUrl === undefined) findings.push(warning('settings.no_mail_server'))
  if (!isPublicHost(named)) findings.push(fault('settings.local_url', { params: { url: authUrl } }))
  else if (!isSecure) findings.push(fault('settings.plain_http', { params: { url: authUrl } }))
  if (existsSync(join(config.dataDir, 'demo.json'))) findings.push(warning('settings.demo'))
  return findings
}

import { INSTANCE_SETTINGS, upstreamSettings } from './instance-settings.ts'
import { MONITORING_SETTINGS } from './monitoring-settings.ts'
import { RETENTION_SETTINGS } from './retention-settings.ts'
import { SERVER_SETTINGS } from './server-settings.ts'
import type { Setting } from './setting.ts'
import { SOURCE_SETTINGS } from './source-settings.ts'
import { STORAGE_SETTINGS } from './storage-settings.ts'

/** All settings, in the order of the documentation. An empty value counts as unset. */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...INSTANCE_SETTINGS,
  ...STORAGE_SETTINGS,
  ...RETENTION_SETTINGS,
  ...SOURCE_SETTINGS,
  ...MONITORING_SETTINGS,
} satisfies Record<string, Setting<unknown>>

/**
 * Returns every setting by its name, in the order of the documentation, including those of the providers.
 *
 * @param providers value of `UPSTREAM_PROVIDERS`
 */
export function settingsWith(providers: string | undefined): Map<string, Setting<unknown>> {
  const settings = new Map<string, Setting<unknown>>()
  for (const [name, setting] of Object.entries(SETTINGS)) {
    settings.set(name, setting)
    if (name !== 'UPSTREAM_PROVIDERS' || !providers) continue
    for (const provider of providers.split(','))
      for (const own of Object.values(upstreamSettings(provider.trim())))
        settings.set(own.name, own.setting)
  }
  return settings
}

import { Provider, type LibraryProvider } from '../oidc-provider.ts'

/**
 * Saves the session before the device code that was allowed in it. The code is valid only once the session knows the
 * grant. The library saves them in the opposite order, so a device that polls in between would learn that its code is
 * invalid, and stop.
 *
 * Upstream: the same order in the library.
 * Tests: `src/identity/provider/device.test.ts`
 */
export function saveSessionBeforeDeviceCode(provider: LibraryProvider) {
  // as: the types omit both
  const { DeviceCode } = provider as unknown as {
    DeviceCode: { prototype: { accountId?: string; save(ttl?: number): Promise<string> } }
  }
  const { save } = DeviceCode.prototype
  DeviceCode.prototype.save = async function saveDeviceCode(ttl) {
    if (this.accountId !== undefined) await Provider.ctx?.oidc.session?.persist()
    return save.call(this, ttl)
  }
}

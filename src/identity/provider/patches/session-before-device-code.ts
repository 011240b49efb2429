import { Provider, type LibraryProvider } from '../oidc-provider.ts'

/**
 * Saves the session before the device code that it allowed. The code ends with its session, so it is good only once the
 * session knows the grant. The library writes them the other way round: a device that asks between the two would be told that its
 * code is invalid, and give up.
 *
 * Upstream: the same order in the library.
 * Tests: `src/identity/provider/device.test.ts`
 */
export function saveSessionBeforeDeviceCode(provider: LibraryProvider) {
  // as: the types leave out both
  const { DeviceCode } = provider as unknown as {
    DeviceCode: { prototype: { accountId?: string; save(ttl?: number): Promise<string> } }
  }
  const { save } = DeviceCode.prototype
  DeviceCode.prototype.save = async function saveDeviceCode(ttl) {
    if (this.accountId !== undefined) await Provider.ctx?.oidc.session?.persist()
    return save.call(this, ttl)
  }
}

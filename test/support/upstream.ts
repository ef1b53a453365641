import { startVendor, type Vendor, type VendorOptions } from '../contracts/vendor.ts'
import { opened } from './opened.ts'

export type { Reply, Script, Vendor as Upstream, VendorCall } from '../contracts/vendor.ts'

/** The stub vendor, closed with the test file. */
export async function startUpstream(options?: VendorOptions): Promise<Vendor> {
  const vendor = await startVendor(options)
  return { ...vendor, close: opened(() => vendor.close()) }
}

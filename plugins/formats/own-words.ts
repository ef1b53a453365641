import type { GatewayError, VendorWords } from 'deflector'

/** What a vendor of this very dialect said of the failure: its clients read it as if they had asked the vendor. */
export function ownWords({ vendor }: GatewayError, dialect: string): VendorWords | undefined {
  return vendor?.said?.dialect === dialect ? vendor.said : undefined
}

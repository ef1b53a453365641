import { ProviderError } from 'deflector'

/**
 * The vendor answered, and not as its format promises. Clients are told `what` (`sent an empty answer`), so it is in our
 * own words and quotes nothing that the vendor sent.
 */
export const wrongAnswer = (
  name: string,
  what: string,
  details: { status?: number; cause?: unknown } = {},
): ProviderError => new ProviderError('protocol', `${name} ${what}`, { ...details, fault: `the vendor ${what}` })

import { GatewayError } from 'deflector'

/** Every page in a browser may post text without asking; JSON of another origin it may not. Throws `unsupported_media`. */
export function jsonOnly({ 'content-type': type = '' }: Readonly<Record<string, string | undefined>>): void {
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new GatewayError('unsupported_media', 'the body must be sent with content-type: application/json')
}

/**
 * Headers as the flat list that `writeHead` sends without building a table first. The headers that stand on every reply
 * are added where the caller has none: its id, under our own name and under those that client libraries look for, and a
 * layer that says no flow ran.
 */
export function rawHead(headers: Readonly<Record<string, string>>, id: string): string[] {
  const raw = ['x-service-request-id', id]
  let layer = false
  let requestId = false
  let xRequestId = false
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    raw.push(name, value)
    if (name === 'request-id') requestId = true
    else if (name === 'x-request-id') xRequestId = true
    else layer ||= name.length === LAYER.length && name.toLowerCase() === LAYER
  }
  if (!layer) raw.push('X-Service-Layer', 'l0', 'X-Service-Deflected', 'false')
  if (!requestId) raw.push('request-id', id)
  if (!xRequestId) raw.push('x-request-id', id)
  return raw
}

const LAYER = 'x-service-layer'

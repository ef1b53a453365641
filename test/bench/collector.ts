import { Server, ServerCredentials } from '@grpc/grpc-js'

/** Takes what is exported, and looks at none of it. */
export async function collector(): Promise<{ readonly endpoint: string; close(): void }> {
  const server = new Server()
  const none = Buffer.alloc(0)
  const bytes = (value: Buffer): Buffer => value
  for (const [service, method] of [
    ['trace.v1.TraceService', 'TraceService'],
    ['metrics.v1.MetricsService', 'MetricsService'],
  ]) {
    const path = `/opentelemetry.proto.collector.${service}/Export`
    const unary = { path, requestStream: false, responseStream: false }
    const words = {
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    }
    server.addService(
      { [`${method}`]: { ...unary, ...words } },
      { [`${method}`]: (_: unknown, done: (error: null, reply: Buffer) => void) => done(null, none) },
    )
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  )
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.forceShutdown() }
}

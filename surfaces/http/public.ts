/** All that a surface which listens may import: the module `deflector/http`. */

export { BrowserCheck, type BrowserRules } from './browser-check.ts'
export { type CallLimits, DEFAULT_LIMITS, HttpCall } from './call.ts'
export { type Dispatch, type Dispatching, dispatcher } from './dispatcher.ts'
export { type Listening, listen } from './listen.ts'
export { type Address, Listener, type ListenerFacts } from './listener.ts'
export { rawHead } from './reply.ts'
export { EventStream, SSE_HEADERS } from './sse.ts'

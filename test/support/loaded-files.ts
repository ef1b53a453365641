import { register } from 'node:module'
import { MessageChannel } from 'node:worker_threads'

/** URLs of the modules that are loaded after this one. */
export const loadedFiles: string[] = []

const channel = new MessageChannel()
channel.port1.on('message', (url: string) => loadedFiles.push(url)).unref()
const hook = `let port
export const initialize = data => { port = data.port }
export const load = (url, context, next) => { port.postMessage(url); return next(url, context) }`
register(`data:text/javascript,${encodeURIComponent(hook)}`, {
  data: { port: channel.port2 },
  transferList: [channel.port2],
})

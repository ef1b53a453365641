import type { SettingValues } from './schema.ts'

type ServerSetting = 'slm_router.remote_url' | 'layer2.sidecar_url' | 'local_slm_url'

/** The settings with the servers that the small model's layer asks. */
export function smallModelServers(values: SettingValues): readonly ServerSetting[] {
  if (!values.enable_slm_router) return []
  if (values['slm_router.provider'] === 'vllm') return ['slm_router.remote_url']
  if (values['slm_router.model_path'] !== undefined) return []
  return values['slm_router.classifier'] === 'heads' ? ['layer2.sidecar_url'] : ['layer2.sidecar_url', 'local_slm_url']
}

/** Names of this machine in a URL. */
const HERE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'])

/** Would a request to this address come back to the gateway that sent it? */
export function isOwnListener(url: string | undefined, values: SettingValues): boolean {
  if (url === undefined || !URL.canParse(url)) return false
  const { hostname, port, protocol } = new URL(url)
  const asked = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return asked === values['server.port'] && (HERE.has(hostname) || hostname === values['server.host'])
}

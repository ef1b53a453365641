import { CommandError } from './failure.ts'
import type { LiveRequest } from './live-requests.ts'

/** Which requests an operator wants to see: the conditions of the dashboard's log, and the tool. */
export interface RequestFilters {
  /** Label of a layer. */
  readonly layer?: string
  /** A status, or its first digit. */
  readonly status?: string
  readonly client?: string
  readonly tool?: string
  /** A part of the model's name. */
  readonly model?: string
  /** Label of a gateway key. */
  readonly key?: string
  readonly tag?: string
}

/** The filters alone, by the names that `/api/admin/requests` has for them. */
export function requestFilters(options: RequestFilters): RequestFilters {
  const { layer, status, client, tool, model, key, tag } = options
  if (status !== undefined && !/^[1-5](?:\d\d)?$/.test(status))
    throw new CommandError('--status: must be a status, or its first digit')
  return {
    ...(layer !== undefined && { layer }),
    ...(status !== undefined && { status }),
    ...(client !== undefined && { client }),
    ...(tool !== undefined && { tool }),
    ...(model !== undefined && { model }),
    ...(key !== undefined && { key }),
    ...(tag !== undefined && { tag }),
  }
}

/** Is it one of those that are wanted? The gateway answers the same of its log. */
export function isWanted(
  request: LiveRequest,
  { layer, status, client, tool, model, key, tag }: RequestFilters,
): boolean {
  const { status: told } = request
  if (layer !== undefined && request.layer !== layer) return false
  if (status !== undefined && ![`${told}`, `${Math.floor(told / 100)}`].includes(status)) return false
  if (client !== undefined && request.client !== client) return false
  if (tool !== undefined && request.tool !== tool) return false
  if (key !== undefined && request.key !== key) return false
  if (tag !== undefined && !request.tags.includes(tag)) return false
  return model === undefined || (request.model ?? '').toLowerCase().includes(model.toLowerCase())
}

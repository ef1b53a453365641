import { type ChatFormat, facet, type SurfaceHost } from 'deflector'

/** How a surface reads a conversation, for those who ask what would become of one there. */
export interface ChatSurface {
  readonly format: ChatFormat
  /** Cache namespace of its requests. */
  readonly namespace: string
  /** Its host's: in the flow of this surface. */
  readonly inspect: SurfaceHost['inspect']
}

export const chatSurface = facet<ChatSurface>('chat-surface')

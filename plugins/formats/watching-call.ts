import type { Exchange } from 'deflector'

const WATCHED = /^\/(?:debug|api\/admin)\//

/** Is it a look of an operator that was answered? Pages and terminals that watch send one every second, so it is no traffic. */
export const isWatching = ({ kind, failure, call }: Exchange): boolean =>
  kind === 'admit' && !failure && call?.method === 'GET' && WATCHED.test(call.path)

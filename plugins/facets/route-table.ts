import { facet, type RouteTable } from 'deflector'

/** The routes that a surface which listens serves; complete once the generation starts. */
export const routeTable = facet<RouteTable>('route-table')

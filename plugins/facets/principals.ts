import { facet } from 'deflector'

/** How many callers a layer that admits requests tells apart: more than one, and what one made is not the others'. */
export const principals = facet<number>('principals')
